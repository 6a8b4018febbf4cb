import type { Session } from 'millrace/client'
import { readField, readNumber, readString } from '../../json/index.ts'

/** An uploaded file that prompts of a session can name. */
export interface UploadedFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly size: number
}

interface UploadOptions {
  /** Called with the part that was uploaded, from 0 to 1. */
  readonly onProgress: (part: number) => void
  readonly signal: AbortSignal
}

/** Uploads a file that a later prompt can name. Rejects with a message for the user. */
export async function uploadFile(
  session: Session,
  file: File,
  { onProgress, signal }: UploadOptions,
): Promise<UploadedFile> {
  const { url, headers } = session.options
  const fields = typeof headers === 'function' ? await headers() : headers
  const form = new FormData()
  form.set('agent_uuid', session.id)
  form.set('files', file, file.name)
  // `fetch` has no progress events for uploads.
  const request = new XMLHttpRequest()
  request.open('POST', `${url.replace(/\/$/, '')}/agent/upload`)
  for (const [name, value] of Object.entries(fields ?? {})) request.setRequestHeader(name, value)
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    if (total > 0) onProgress(loaded / total)
  })
  const cancel = () => request.abort()
  signal.addEventListener('abort', cancel)
  try {
    await new Promise<void>((resolve, reject) => {
      request.addEventListener('load', () => resolve())
      request.addEventListener('error', () => reject(new Error('The server could not be reached.')))
      request.addEventListener('abort', () => reject(new Error('The upload was cancelled.')))
      request.send(form)
    })
  } finally {
    signal.removeEventListener('abort', cancel)
  }
  return readUploaded(request, file)
}

function readUploaded({ status, responseText }: XMLHttpRequest, file: File): UploadedFile {
  const body = readJson(responseText)
  const [kept] = toList(readField(body, 'files'))
  const id = readString(kept, 'id')
  if (status >= 400 || id === undefined) {
    throw new Error(
      readString(readField(body, 'error'), 'message') ??
        `The server did not accept the file (${status}).`,
    )
  }
  return {
    id,
    name: readString(kept, 'filename') ?? file.name,
    mediaType: readString(kept, 'mime_type') ?? file.type,
    size: readNumber(kept, 'size_bytes') ?? file.size,
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
