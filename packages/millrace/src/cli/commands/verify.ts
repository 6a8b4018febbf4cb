import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { createVerifier, type Verifier, type Violation } from '../../envelope/index.ts'
import { MillraceError } from '../../errors/index.ts'
import { createSseDecoder, DONE_DATA } from '../../sse/index.ts'
import type { Command, Terminal } from '../command.ts'
import { decodeWholeNumber } from '../decode-options.ts'
import { createLineReader } from '../line-reader.ts'
import { misuse } from '../misuse.ts'

const usage = `FILE … [--limit 2048] [--resumed] [--seed]

  --limit     the frame limit in bytes
  --resumed   the stream begins in the middle of a log
  --seed      a stream of the thirteen types alone, without meta_end

Reads server-sent events, or envelopes one a line. Exits with 1 if a rule is broken.`

/** `millrace verify`: recorded streams against the protocol. */
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
      },
    })
    if (positionals.length === 0) throw misuse('Name at least one recorded stream.')
    const maxBytes = decodeWholeNumber('--limit', values.limit)
    let broken = 0
    for (const file of positionals) {
      const verifier = createVerifier({
        maxBytes,
        isResumed: values.resumed,
        needsEnd: !values.seed,
      })
      broken += await verifyFile(file, verifier, terminal)
    }
    return broken === 0 ? 0 : 1
  },
}

async function verifyFile(file: string, verifier: Verifier, terminal: Terminal): Promise<number> {
  let broken = 0
  let messages = 0
  let isDone = false
  const report = (violations: readonly Violation[]): void => {
    broken += violations.length
    for (const { rule, message, line } of violations) {
      terminal.print(`${file}: message ${line} breaks [${rule}]: ${message}`)
    }
  }
  await readMessages(file, (data, id) => {
    if (data === DONE_DATA) return void (isDone = true)
    messages++
    report(verifier.push(data, id))
  })
  report(verifier.end(isDone))
  if (broken === 0) terminal.print(`${file}: ${messages} messages, every rule kept`)
  return broken
}

/** Gives each message of a file, whether it is framed or one a line. */
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
      reader ??= startsWithBrace(bytes) ? lines : decoder
      reader.feed(bytes)
    }
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause
    throw new MillraceError('not_found', `${file} cannot be read; check the path.`, { cause })
  }
  reader?.finish?.()
}

function startsWithBrace(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b
}
