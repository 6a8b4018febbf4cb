import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MillraceError } from 'millrace'
import { isJsonObject, parseJsonObject } from 'millrace'
import type { Golden, Recording } from './recording.ts'
import { toRecordedBody } from './recorded-body.ts'

/** Options for loading a folder. */
export interface LoadOptions {
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
