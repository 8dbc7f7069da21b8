import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/**', 'data/**', '*.mjs', '*.cjs', 'test/**/*.mjs'] },
  ...tseslint.configs.recommendedTypeChecked,
  prettier,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ['error', 10],
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
        { object: 'URL', property: 'canParse', message: 'Node 20 answers wrongly; use readUrl.' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Nest needs classes without members as modules.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  // One reader of the environment in each process.
  {
    files: ['apps/*/src/config.ts', 'apps/*/src/main.ts', 'apps/api/src/cli/*.ts', 'docs/examples/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  // Processes are killed on purpose by tests only.
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: '#libs/failpoints', importNames: ['armFailpoints'], message: 'Only a test start file arms them.' },
          ],
        },
      ],
    },
  },
  // The domain is pure: time and randomness are arguments, and nothing is kept between two calls.
  {
    files: ['libs/domain/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time is an argument.',
        },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is an argument.' },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Randomness is an argument.',
        },
        {
          selector:
            'ImportDeclaration[source.value=/^(node:)?crypto$/] ImportSpecifier[imported.name=/^random|^webcrypto$/]',
          message: 'Randomness is an argument.',
        },
        {
          selector: ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind='let']",
          message: 'A module keeps no state.',
        },
        {
          selector:
            ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Weak)?(Map|Set)$/][arguments.length=0]',
          message: 'A module keeps no state.',
        },
      ],
    },
  },
  // SQL reads top to bottom, a suite is one story.
  {
    files: ['libs/persistence/src/migrations/*.ts', '**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      'no-restricted-properties': 'off',
      // jest's asymmetric matchers are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
