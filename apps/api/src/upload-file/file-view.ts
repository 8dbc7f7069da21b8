import { typeId } from '#libs/domain';
import type { StoredFile } from '#libs/persistence';

/** The public JSON of a file. */
export function fileView(file: StoredFile) {
  return {
    id: typeId('file', file.id),
    object: 'file' as const,
    name: file.name,
    media_type: file.mediaType,
    size: file.sizeBytes,
    sha256: file.sha256,
    created_at: file.createdAt.toISOString(),
    expires_at: file.expiresAt.toISOString(),
  };
}
