import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { createVerifier, type Verifier, MillraceError, createSseDecoder, DONE_DATA } from 'millrace'
import { type Command, type Terminal, misuse } from '../command.ts'
import { decodeWholeNumber } from '../decode-options.ts'
import { createLineReader } from '../line-reader.ts'
import { createFormatGuess, describeForeign } from '../../verify/format-guess.ts'
import { createViolationReport } from '../../verify/violation-report.ts'

const usage = `FILE … [--limit 2048] [--resumed] [--seed] [--show 20]

  --limit     the frame limit in bytes
  --resumed   the stream begins in the middle of a log
  --seed      a stream of only the thirteen seed types, without meta_end
  --show      maximum violations printed for a file

Reads server-sent events, or one envelope per line. Exits with 1 if a rule is broken.`

/** `millrace verify`: checks recorded streams against the protocol. */
export const verify: Command = {
  usage,
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        limit: { type: 'string', default: '2048' },
        resumed: { type: 'boolean', default: false },
        seed: { type: 'boolean', default: false },
        show: { type: 'string', default: '20' },
      },
    })
    if (positionals.length === 0) throw misuse('Name at least one recorded stream.')
    const maxBytes = decodeWholeNumber('--limit', values.limit)
    const shown = decodeWholeNumber('--show', values.show)
    let broken = 0
    for (const file of positionals) {
      const verifier = createVerifier({
        maxBytes,
        isResumed: values.resumed,
        needsEnd: !values.seed,
      })
      // Without extensions a server omits frames and no `span` counts them, so ids have gaps.
      broken += await verifyFile(file, { verifier, terminal, shown, hasAllIds: !values.seed })
    }
    return broken === 0 ? 0 : 1
  },
}

interface Verification {
  readonly verifier: Verifier
  readonly terminal: Terminal
  readonly shown: number
  readonly hasAllIds: boolean
}

async function verifyFile(
  file: string,
  { verifier, terminal, shown, hasAllIds }: Verification,
): Promise<number> {
  const report = createViolationReport((line) => terminal.print(`${file}: ${line}`), shown)
  const guess = createFormatGuess()
  let messages = 0
  let isDone = false
  await readMessages(file, (data, id) => {
    if (data === DONE_DATA) return void (isDone = true)
    messages++
    if (guess.look(data) === undefined) report.add(verifier.push(data, hasAllIds ? id : undefined))
  })
  const foreign = guess.found()
  if (foreign !== undefined) {
    terminal.print(`${file}: ${describeForeign(foreign, file)}`)
    return 1
  }
  report.add(verifier.end(isDone))
  report.finish()
  if (report.count() === 0) terminal.print(`${file}: ${messages} messages, no violations`)
  return report.count()
}

/** Reads each message of a file, framed or one per line. */
async function readMessages(
  file: string,
  onMessage: (data: string, id?: number) => void,
): Promise<void> {
  const decoder = createSseDecoder({
    onEvent: ({ data, id }) => onMessage(data, id === undefined ? undefined : Number(id)),
  })
  const lines = createLineReader((line) => onMessage(line))
  let reader: { feed(bytes: Uint8Array): void; finish?(): void } | undefined
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Uint8Array>) {
      reader ??= isFramed(bytes) ? decoder : lines
      reader.feed(bytes)
    }
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause
    throw new MillraceError('not_found', `${file} cannot be read; check the path.`, { cause })
  }
  reader?.finish?.()
}

/** Fields and comments of server-sent events begin with neither a brace nor a tag. */
function isFramed(bytes: Uint8Array): boolean {
  return bytes[0] !== 0x7b && bytes[0] !== 0x3c
}
