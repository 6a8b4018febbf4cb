import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MillraceError } from 'millrace'
import { decodeRecording, type Recording } from '../recordings/index.ts'

interface NamedRecording {
  readonly file: string
  readonly recording: Recording
}

/** Reads recordings from files, and from all files of folders in the order of their names. */
export async function readRecordings(paths: readonly string[]): Promise<NamedRecording[]> {
  const files: string[] = []
  for (const path of paths) files.push(...(await listFiles(path)))
  const recordings: NamedRecording[] = []
  for (const file of files) {
    checkRecordingSize(file, (await stat(file)).size)
    recordings.push({ file, recording: decodeRecording(await readFile(file), { name: file }) })
  }
  return recordings
}

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new MillraceError('not_found', `${path} cannot be read; check the path.`, { cause })
  })
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => /\.(?:jsonl|sse)$/.test(name)).sort()
  if (names.length > 0) return names.map((name) => join(path, name))
  throw new MillraceError('not_found', `${path} contains no .jsonl or .sse files.`)
}

/** Maximum size of a recording, which is read into memory as a whole. */
const maxRecordingBytes = 256 * 1024 * 1024

/** Throws for a recording that is too large. */
export function checkRecordingSize(name: string, bytes: number): void {
  if (bytes <= maxRecordingBytes) return
  const message = `${name} is larger than ${maxRecordingBytes} bytes, too large for a recording; split it, or use only its body.`
  throw new MillraceError('payload_too_large', message)
}
