import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEvent } from '../../../anthropic/index.ts'
import { isJsonObject, type JsonObject } from '../../../json/index.ts'

/** A recorded response of the Messages API, with what the official SDK made of it. */
export interface Recording {
  readonly name: string
  /** The body as server-sent events, its last frame ended. */
  readonly body: Uint8Array
  readonly golden: Golden | undefined
}

/** What the official SDK made of a recording. */
export interface Golden {
  readonly ok: boolean
  /** One for each message of the recording. */
  readonly messages: readonly JsonObject[]
  /** Why the SDK gave no message. */
  readonly error: string
}

const FILE = /\.(sse|jsonl)$/

/** Reads all recordings of a folder and of its `synthetic`, with what `golden` says of them. */
export async function loadRecordings(folder: string): Promise<Recording[]> {
  const names = await readdir(folder)
  const synthetic = await readdir(join(folder, 'synthetic')).catch(() => [])
  const files = [...names, ...synthetic.map((name) => join('synthetic', name))]
  return Promise.all(
    files.filter((file) => FILE.test(file)).map((file) => loadRecording(folder, file)),
  )
}

async function loadRecording(folder: string, file: string): Promise<Recording> {
  const name = file.replace(FILE, '')
  const bytes = await readFile(join(folder, file))
  const golden = await readFile(join(folder, 'golden', `${name}.json`), 'utf8').catch(() => '')
  const body = file.endsWith('.sse')
    ? Buffer.concat([bytes, Buffer.from(lackingEnd(bytes))])
    : Buffer.from(toFrames(bytes.toString()))
  return {
    name,
    body: new Uint8Array(body),
    golden: golden === '' ? undefined : toGolden(JSON.parse(golden)),
  }
}

/** Stored bodies often lack the blank line that ends their last frame, without which it counts as cut. */
function lackingEnd(bytes: Buffer): string {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 4))
  if (/\n\r?\n$/.test(end)) return ''
  return end.endsWith('\n') ? '\n' : '\n\n'
}

/** Some recordings keep one event a line, without its frame. */
function toFrames(lines: string): string {
  const events = lines.split('\n').filter((line) => line.trim() !== '')
  return events.map((line) => `event: ${typeOf(line)}\ndata: ${line}\n\n`).join('')
}

function typeOf(line: string): string {
  return String(parseEvent({ data: line, event: undefined })?.['type'] ?? 'unreadable')
}

function toGolden(value: unknown): Golden {
  const { ok, message, messages, error } = isJsonObject(value) ? value : {}
  const several = Array.isArray(messages) ? messages.filter(isJsonObject) : []
  const found = isJsonObject(message) ? [message] : several.map((one) => one['message'])
  const problem = error ?? several.find((one) => one['error'] !== undefined)?.['error']
  return { ok: ok === true, messages: found.filter(isJsonObject), error: String(problem ?? '') }
}
