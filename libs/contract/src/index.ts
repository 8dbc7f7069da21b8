export type { Rate } from './settings/parse-setting.js';
export { readSettings, type SettingName, type Settings, settings, SettingsError } from './settings/settings.js';
