import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A recorded response of the Messages API, with the result of the official SDK. */
export interface Recording {
  readonly name: string
  /** The body as SSE, its last frame ended. */
  readonly body: string
  readonly golden: Golden | undefined
}

/** The official SDK's final message. */
export interface Golden {
  readonly ok: boolean
  readonly message?: GoldenMessage
  /** One for each message, if a file contains several. */
  readonly messages?: readonly { readonly ok: boolean; readonly message: GoldenMessage }[]
}

/** The parts of a final message that are compared. */
export interface GoldenMessage {
  readonly content: readonly unknown[]
  readonly stop_reason: string | null
  readonly usage: Readonly<Record<string, unknown>>
}

// Beside the repository, not part of it: tests that need it are skipped without it.
const folder = fileURLToPath(new URL('../../../../../../shared/recordings/', import.meta.url))

/** All recordings of a folder, or none without the folder. */
export function loadRecordings(subfolder = ''): Recording[] {
  const path = `${folder}${subfolder}`
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter((file) => file.endsWith('.sse') || file.endsWith('.jsonl'))
    .map((file) => loadRecording(path, file))
}

function loadRecording(path: string, file: string): Recording {
  const text = readFileSync(`${path}/${file}`, 'utf8')
  const name = file.replace(/\.(sse|jsonl)$/, '')
  const goldenPath = `${folder}golden/${name}.json`
  const golden = existsSync(goldenPath)
    ? (JSON.parse(readFileSync(goldenPath, 'utf8')) as Golden)
    : undefined
  return { name, body: file.endsWith('.sse') ? `${text}\n\n` : toSse(text), golden }
}

function toSse(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`)
    .join('')
}
