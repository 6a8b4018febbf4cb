import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { MAX_SSE_CHUNK_BYTES, MIN_SSE_CHUNK_BYTES, isMillraceError, MillraceError } from 'millrace'
import { type Command, misuse } from '../command.ts'
import { openConversion, readers, writers } from '../../convert/formats.ts'
import { lineFraming, pump, sseFraming } from '../../convert/stage.ts'
import { decodeWholeNumber } from '../decode-options.ts'
import { createFileOutput } from '../file-output.ts'

const DEFAULT_AGENT = '00000000-0000-4000-8000-000000000000'
const usage = `[--from FORMAT] --to FORMAT [FILE] [--out FILE] [--lines] [--limit 2048] [--agent ID]

  --from    format of FILE, or of standard input; detected if absent:
${listFormats(readers)}
  --to      output format:
${listFormats(writers)}
  --out     output file; default: standard output
  --lines   one message per line instead of server-sent events
  --limit   maximum bytes of a frame of json
  --agent   the agent of messages for which the input names none

Recordings of millrace record are read as the stream that they contain. Writes while it reads, except
for recordings, which are read whole. Content that the new format cannot express, and the end of a
truncated input, are reported on standard error; the rest is written, and the exit code is 0.`

/** `millrace convert`: converts a stream to another format. */
export const convert: Command = {
  usage,
  run: async (args, terminal) => {
    const { name, file, out, stage } = readOptions(args)
    const input = file === undefined ? terminal.input : readFile(file)
    const output = out === undefined ? terminal : createFileOutput(out)
    try {
      if ((await pump(input, stage, output)) === 0) {
        throw new MillraceError('stream_truncated', `${name} is empty.`)
      }
    } finally {
      if ('close' in output) await output.close()
    }
    for (const note of stage.notes?.() ?? []) terminal.complain(note)
    return 0
  },
}

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      to: { type: 'string', default: '' },
      out: { type: 'string' },
      lines: { type: 'boolean', default: false },
      limit: { type: 'string', default: String(MAX_SSE_CHUNK_BYTES) },
      agent: { type: 'string', default: DEFAULT_AGENT },
    },
  })
  const { from, to, out, agent } = values
  const [file, second] = positionals.filter((name) => name !== '-')
  if (second !== undefined)
    throw misuse('Only one file can be converted at a time; join them with a pipe.')
  if (file !== undefined && out !== undefined && resolve(file) === resolve(out)) {
    throw misuse('--out must not be the input file.')
  }
  if (from !== undefined) checkName('--from', from, readers)
  checkName('--to', to, writers)
  if (values.lines && writers[to]?.hasLines !== true)
    throw misuse(`--lines cannot be used with ${to}.`)
  const framing = values.lines ? lineFraming : sseFraming
  const name = file ?? 'Standard input'
  const maxBytes = readLimit(values.limit)
  const stage = openConversion(from, to, { name, agent, framing, maxBytes })
  return { name, file, out, stage }
}

function checkName(option: string, name: string, formats: Readonly<Record<string, unknown>>): void {
  if (Object.hasOwn(formats, name)) return
  const asked = name === '' ? 'is missing' : `cannot be ${JSON.stringify(name)}`
  throw misuse(`${option} ${asked}; it must be one of ${Object.keys(formats).join(', ')}.`)
}

function readLimit(text: string): number {
  const limit = decodeWholeNumber('--limit', text)
  if (limit >= MIN_SSE_CHUNK_BYTES) return limit
  throw misuse(`--limit must be at least ${MIN_SSE_CHUNK_BYTES}.`)
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  } catch (cause) {
    if (isMillraceError(cause)) throw cause
    throw new MillraceError('not_found', `${file} cannot be read; check the path.`, { cause })
  }
}

function listFormats(formats: Readonly<Record<string, { readonly summary: string }>>): string {
  return Object.entries(formats)
    .map(([name, { summary }]) => `              ${name.padEnd(11)} ${summary}`)
    .join('\n')
}
