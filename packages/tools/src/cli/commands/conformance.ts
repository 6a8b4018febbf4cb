import { parseArgs } from 'node:util'
import { type Command, type Terminal, misuse } from '../command.ts'
import {
  countOutcomes,
  type Counts,
  describeCounts,
  describeFailure,
  protocolFiles,
  runFiles,
  toKindTable,
} from '../../conformance/run-files.ts'
import type { Implementation } from '../../conformance/implementation.ts'
import { kindChecks } from '../../conformance/kinds/kind-checks.ts'
import { ownImplementation } from '../../conformance/own/own-implementation.ts'
import { openPipe } from '../../conformance/pipe/open-pipe.ts'
import { serveAdapter } from '../../conformance/pipe/serve-adapter.ts'
import { describeRecordings } from '../../conformance/recordings/describe-recordings.ts'
import { loadRecordings } from '../../conformance/recordings/load-recordings.ts'
import { runRecordings } from '../../conformance/recordings/run-recordings.ts'
import { decodeWholeNumber } from '../decode-options.ts'
import { readVersion } from '../read-version.ts'

const usage = `[FILE.jsonl …] [--kinds KIND,…] [--recordings DIR]
       millrace conformance [FILE.jsonl …] [--kinds KIND,…] [--time-limit-ms N] -- COMMAND [ARG …]
       millrace conformance --adapter

  --kinds          only cases of these kinds; an unsupported one then counts as failed
  --time-limit-ms  timeout without output while a response is pending; default 30000
  --recordings     a folder with recorded streams of the Messages API, *.sse or *.jsonl (one event per
                   line, or a recording of millrace record), also in its synthetic/, and the result
                   of the official SDK for each in its golden/
  --adapter        speaks the adapter protocol on stdin and stdout for this implementation

Runs case files against this implementation: one JSON object a line, {name, kind, input, expected},
or {name, strategy, chunks, expected, invocations} and {name, format, text, expected} for segments.
Streams are fed whole, unit by unit and at random cuts, texts also split at every place.
Recordings must yield the SDK's message where that is correct, and pass the checks of pings, of
every cut and of every way of feeding them. Exits with 1 if anything failed.

With a command, runs them against another implementation, which exchanges JSON lines as in
spec/adapter.md. Without files, runs all cases of the protocol. Unsupported kinds are counted as
such, and not as passed.`

/** The exit code of a program that a user has stopped. */
const STOPPED_CODE = 130

/** `millrace conformance`: runs case files against this implementation, or another one. */
export const conformance: Command = {
  usage,
  run: async (args, terminal) => {
    const { files, command, kinds, timeLimitMs, recordings, isAdapter } = decodeArgs(args)
    if (isAdapter) return speakAsAdapter(terminal)
    if (command !== undefined) {
      const chosen = files.length > 0 ? files : await protocolFiles()
      return runAgainst(command, { files: chosen, kinds, timeLimitMs, terminal })
    }
    if (files.length === 0 && recordings === undefined)
      throw misuse(
        'Name at least one case file, a folder of recordings, or after `--` the command of an implementation, against which all cases are run.',
      )
    let failed = 0
    if (files.length > 0) {
      const counts = await runCases(ownImplementation, { files, kinds, terminal })
      terminal.print(describeCounts(counts))
      failed += counts.failed
    }
    if (recordings !== undefined) failed += await runFolder(recordings, terminal)
    return failed === 0 ? 0 : 1
  },
}

function decodeArgs(args: readonly string[]) {
  const end = args.indexOf('--')
  const { values, positionals: files } = parseArgs({
    args: end < 0 ? [...args] : args.slice(0, end),
    allowPositionals: true,
    options: {
      adapter: { type: 'boolean', default: false },
      kinds: { type: 'string' },
      recordings: { type: 'string' },
      'time-limit-ms': { type: 'string', default: '30000' },
    },
  })
  const { adapter: isAdapter, recordings } = values
  const command = end < 0 ? undefined : args.slice(end + 1)
  if (command?.length === 0) throw misuse('Name the command to run after --.')
  if (command !== undefined && recordings !== undefined)
    throw misuse('Recordings are only checked against this implementation: leave out the command.')
  return {
    files,
    command,
    kinds: decodeKinds(values.kinds),
    timeLimitMs: decodeWholeNumber('--time-limit-ms', values['time-limit-ms']),
    recordings,
    isAdapter,
  }
}

function decodeKinds(text: string | undefined): readonly string[] | undefined {
  const kinds = text?.split(',')
  const unknown = kinds?.find((kind) => !Object.hasOwn(kindChecks, kind))
  if (unknown === undefined) return kinds
  const known = Object.keys(kindChecks).join(', ')
  throw misuse(`There is no kind ${JSON.stringify(unknown)}; the kinds are ${known}.`)
}

interface Cases {
  readonly files: readonly string[]
  readonly kinds: readonly string[] | undefined
  readonly terminal: Terminal
  readonly signal?: AbortSignal
}

async function runCases(implementation: Implementation, { files, kinds, terminal, signal }: Cases) {
  const outcomes = await runFiles(files, implementation, {
    kinds,
    ...(signal && { signal }),
    onCase: (file, name) => terminal.showProgress?.(`${file} ${name}`),
    onFailure: (file, outcome) => {
      terminal.showProgress?.('')
      terminal.print(describeFailure(file, outcome))
    },
  })
  terminal.showProgress?.('')
  if (outcomes.length > 0) terminal.print(`${toKindTable(outcomes)}\n`)
  return countOutcomes(outcomes)
}

async function runAgainst(
  command: readonly string[],
  { timeLimitMs, ...cases }: Cases & { readonly timeLimitMs: number },
): Promise<number> {
  const { terminal } = cases
  const stop = new AbortController()
  void terminal.untilStopped().then(() => stop.abort())
  const { signal } = stop
  const pipe = await openPipe(command, { timeLimitMs, signal })
  terminal.print(`${pipe.hello.name} ${pipe.hello.version}, over a pipe\n`)
  let counts: Counts = { passed: 0, failed: 0, unsupported: 0 }
  let fault: string | undefined
  try {
    counts = await runCases(pipe, { ...cases, signal })
  } finally {
    fault = await pipe.close()
  }
  if (signal.aborted) {
    terminal.complain('Stopped.')
    return STOPPED_CODE
  }
  if (fault !== undefined) terminal.print(`✗ at the end: ${fault}\n`)
  const failed = counts.failed + (fault === undefined ? 0 : 1)
  terminal.print(describeCounts({ ...counts, failed }))
  return failed === 0 && counts.passed > 0 ? 0 : 1
}

async function speakAsAdapter(terminal: Terminal): Promise<number> {
  await serveAdapter(terminal, { version: await readVersion() })
  return 0
}

async function runFolder(folder: string, terminal: Terminal): Promise<number> {
  const recordings = await loadRecordings(folder, {
    onSkip: (name, why) => terminal.print(`Not checked: ${name} ${why}`),
  })
  const summaries = await runRecordings(recordings, {
    onProgress: (text) => terminal.showProgress?.(text),
  })
  terminal.showProgress?.('')
  terminal.print(describeRecordings(recordings, summaries))
  const failed = summaries.reduce((count, { faults }) => count + faults.length, 0)
  terminal.print(`${recordings.length} recordings, ${failed} failed`)
  return failed + (recordings.length === 0 ? 1 : 0)
}
