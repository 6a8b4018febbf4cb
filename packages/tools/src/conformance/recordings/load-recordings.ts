import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeSse, isJsonObject, MillraceError, parseJsonObject } from 'millrace'
import { decodeRecording, isRecording } from '../../recordings/index.ts'
import type { Golden, Recording } from './recording-check.ts'

interface LoadOptions {
  /** Called for a recording without a stream of the Messages API, with the reason. */
  readonly onSkip?: (name: string, why: string) => void
}

const FILE = /\.(sse|jsonl)$/

/** Loads all recordings of a folder and of its `synthetic`, with the results in `golden`. */
export async function loadRecordings(
  folder: string,
  { onSkip = () => {} }: LoadOptions = {},
): Promise<Recording[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    const message = `${folder} cannot be read; name a folder of recordings.`
    throw new MillraceError('not_found', message, { cause })
  })
  const synthetic = await readdir(join(folder, 'synthetic')).catch(() => [])
  const files = [...names, ...synthetic.map((name) => join('synthetic', name))]
  const loaded = files.filter((file) => FILE.test(file)).map((file) => load(folder, file))
  const recordings: Recording[] = []
  for (const { name, body, golden } of await Promise.all(loaded)) {
    if (typeof body === 'string') onSkip(name, body)
    else recordings.push({ name, body, golden })
  }
  return recordings
}

async function load(folder: string, file: string) {
  const name = file.replace(FILE, '')
  const path = join(folder, file)
  const body = toRecordedBody(await readFile(path), path)
  return { name, body, golden: await loadGolden(join(folder, 'golden', `${name}.json`)) }
}

async function loadGolden(path: string): Promise<Golden | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const value = parseJsonObject(text)
  if (value === undefined) {
    throw new MillraceError(
      'recording_malformed',
      `${path} is not a JSON object; fix or remove it.`,
    )
  }
  const { ok, message, messages, error } = value
  const several = Array.isArray(messages) ? messages.filter(isJsonObject) : []
  const found = isJsonObject(message) ? [message] : several.map((one) => one['message'])
  const problem = error ?? several.find((one) => one['error'] !== undefined)?.['error']
  return { ok: ok === true, messages: found.filter(isJsonObject), error: String(problem ?? '') }
}

/** Returns the body of a file as server-sent events, or the reason why it is not a stream of the Messages API. */
function toRecordedBody(file: Buffer, path: string): Uint8Array | string {
  if (path.endsWith('.sse')) return new Uint8Array(Buffer.concat([file, lackingEnd(file)]))
  const text = file.toString()
  const [first = ''] = text.split('\n', 1)
  return isRecording(first) ? unpack(file, path) : new TextEncoder().encode(toFrames(text))
}

/** Returns the body of a recording of `millrace record`, up to its end. */
function unpack(file: Buffer, path: string): Uint8Array | string {
  const { response, chunks } = decodeRecording(file, { name: path })
  const { status, headers } = response
  const type = headers['content-type'] ?? 'no content-type'
  if (status >= 300 || !type.startsWith('text/event-stream')) return `answered ${status}, ${type}`
  const body = Buffer.concat(chunks.map(({ bytes }) => bytes))
  return body.includes('message_start') ? new Uint8Array(body) : 'has no message_start'
}

/** Stored bodies often lack the blank line after their last frame, which would then count as cut. */
function lackingEnd(bytes: Buffer): Buffer {
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 4))
  if (/\n\r?\n$/.test(end)) return Buffer.from('')
  return Buffer.from(end.endsWith('\n') ? '\n' : '\n\n')
}

/** Adds frames to a recording of one event per line. */
function toFrames(lines: string): string {
  const events = lines.split('\n').filter((line) => line.trim() !== '')
  return events.map((data) => encodeSse({ data, ...nameOf(data) })).join('')
}

function nameOf(data: string): { readonly event?: string } {
  const type = parseJsonObject(data)?.['type']
  return typeof type === 'string' ? { event: type } : {}
}
