import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** A sealed or signed value that names a key which the keyring does not have, or that was tampered with. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
}

interface SecretKey {
  readonly id: string;
  readonly sealing: Buffer;
  readonly signing: Buffer;
}

type RandomBytes = (size: number) => Buffer;

const minimumKeyBytes = 32;
const ivBytes = 12;

/**
 * The keys of `SECRET_KEY`: a list `id:base64,id:base64`. The first seals and signs, all of them open and verify, so a key is rotated by
 * appending it everywhere and then moving it to the front.
 */
export class SecretKeyring {
  private constructor(
    private readonly keys: readonly SecretKey[],
    private readonly randomBytes: RandomBytes,
  ) {}

  /**
   * @param randomBytes of cryptographic strength; no two sealings may get the same
   * @throws SecretKeyError naming the entry at fault (never its value)
   */
  static parse(text: string, randomBytes: RandomBytes): SecretKeyring {
    const keys = text.split(',').map((entry, index) => parseKey(entry.trim(), index));
    const ids = new Set(keys.map((key) => key.id));
    if (ids.size !== keys.length) throw new SecretKeyError('two keys have the same id');
    return new SecretKeyring(keys, randomBytes);
  }

  /** The id of the key that seals and signs now. */
  get currentId(): string {
    return this.current.id;
  }

  /** Encrypts with AES-256-GCM under the current key: `id.iv.tag.ciphertext`, base64url. */
  seal(plain: string): string {
    const iv = this.randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.current.sealing, iv);
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [this.current.id, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join('.');
  }

  /** @throws SecretKeyError when the key is unknown or the value was changed */
  open(sealed: string): string {
    const [id = '', iv = '', tag = '', ciphertext = ''] = sealed.split('.');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key(id).sealing, Buffer.from(iv, 'base64url'));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(ciphertext, 'base64url')), decipher.final()]).toString('utf8');
    } catch (error) {
      if (error instanceof SecretKeyError) throw error;
      throw new SecretKeyError(`a value sealed with key ${id} cannot be opened`, { cause: error });
    }
  }

  /** HMAC-SHA256 of a text under one key, base64url: the same for the same arguments, always. */
  sign(keyId: string, text: string): string {
    return createHmac('sha256', this.key(keyId).signing).update(text).digest('base64url');
  }

  /** Whether a signature is the one of {@link sign}, in constant time; an unknown key verifies nothing. */
  verifies(keyId: string, text: string, signature: string): boolean {
    if (!this.keys.some((key) => key.id === keyId)) return false;
    const expected = Buffer.from(this.sign(keyId, text));
    const given = Buffer.from(signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  private get current(): SecretKey {
    return this.keys[0] as SecretKey;
  }

  private key(id: string): SecretKey {
    const key = this.keys.find((candidate) => candidate.id === id);
    if (key === undefined) throw new SecretKeyError(`no secret key has the id ${id}`);
    return key;
  }
}

/** The id of the key that a value was sealed with. */
export function sealingKeyId(sealed: string): string {
  return sealed.split('.', 1)[0] ?? '';
}

function parseKey(entry: string, index: number): SecretKey {
  const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
  if (id === undefined || encoded === undefined)
    throw new SecretKeyError(`entry ${index + 1} is not of the form id:base64`);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length < minimumKeyBytes)
    throw new SecretKeyError(`key ${id} has ${bytes.length} bytes, at least ${minimumKeyBytes} are needed`);
  return { id, sealing: derive(bytes, 'seal'), signing: derive(bytes, 'sign') };
}

function derive(bytes: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, '', `pdfonce ${purpose}`, 32));
}
