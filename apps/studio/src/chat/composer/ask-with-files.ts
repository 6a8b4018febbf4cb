import type { Session } from 'millrace/client'
import { readField, readString } from '../../json/index.ts'
import type { UploadedFile } from '../attachments/index.ts'

/**
 * Sends a prompt that names uploaded files, then reads the run. Rejects with a message for the user if the server does
 * not accept it.
 */
export async function askWithFiles(
  session: Session,
  text: string,
  files: readonly UploadedFile[],
): Promise<void> {
  const { url, headers, runFields, fetch = globalThis.fetch } = session.options
  const fields = typeof headers === 'function' ? await headers() : headers
  const response = await fetch(`${url.replace(/\/$/, '')}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fields },
    body: JSON.stringify({
      ...runFields,
      agent_uuid: session.id,
      user_prompt: [...files.map(toBlock), ...(text === '' ? [] : [{ type: 'text', text }])],
    }),
  }).catch(() => {
    throw new Error('The server could not be reached.')
  })
  if (!response.ok) throw new Error(await readErrorMessage(response))
  // The run continues on the server and is read like any other.
  await response.body?.cancel()
  await session.watch()
}

function toBlock({ id, name, mediaType }: UploadedFile): object {
  const source = { type: 'file', file_id: id }
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return { type: 'document', source, title: name }
}

async function readErrorMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const message = readString(readField(body, 'error'), 'message')
  return message ?? `The server responded with status ${response.status}.`
}
