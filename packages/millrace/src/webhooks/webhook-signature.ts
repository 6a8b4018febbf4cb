import { badRequest } from '../errors/index.ts'

const PREFIX = 'whsec_'
const MIN_BYTES = 24
const MAX_BYTES = 64
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const
const encoder = new TextEncoder()

/** The content of a delivery that its signature covers. */
export interface SignedContent {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number | string
  readonly body: string
}

/** Reads a secret such as `whsec_BASE64`; throws `bad_request` for any other. */
export function decodeWebhookSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (bytes !== undefined && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) return bytes
  throw badRequest(
    `The secret of a webhook must be "${PREFIX}" followed by ${MIN_BYTES} to ${MAX_BYTES} random bytes in base64. Create one with: node -p "'${PREFIX}' + crypto.randomBytes(32).toString('base64')"`,
  )
}

/** Signs a delivery and returns the value of `webhook-signature`. [HOOK-2] */
export async function signWebhook(secret: string, content: SignedContent): Promise<string> {
  const key = await importKey(secret)
  const signature = await crypto.subtle.sign(HMAC.name, key, toBytes(content))
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
}

/** Whether one of the signatures of a delivery was made with the secret. */
export async function hasSignature(
  secret: string,
  content: SignedContent,
  signatures: string,
): Promise<boolean> {
  const key = await importKey(secret)
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined
    if (bytes === undefined) continue
    // Compares in constant time.
    if (await crypto.subtle.verify(HMAC.name, key, bytes, toBytes(content))) return true
  }
  return false
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', decodeWebhookSecret(secret), HMAC, false, [
    'sign',
    'verify',
  ])
}

function toBytes({ id, timestamp, body }: SignedContent): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${id}.${timestamp}.${body}`)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))
  } catch {
    return undefined
  }
}
