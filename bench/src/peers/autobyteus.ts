import { pathToFileURL } from 'node:url'
import { demandContent, type Runner, type Sample } from '../segments/workload.ts'

/** The folder of a built `autobyteus-ts`. It is not in the registry, so it is measured only with a local copy. */
const folder = process.env['MILLRACE_BENCH_AUTOBYTEUS']

interface SegmentEvent {
  readonly payload: { readonly delta?: unknown }
}
interface Reader {
  feed(text: string): readonly SegmentEvent[]
  finalize(): readonly SegmentEvent[]
}
interface ReaderOptions {
  readonly parserName: string
  readonly config: unknown
}
interface Modules {
  createStreamingParser(options: ReaderOptions): Reader
  readonly ParsingStreamingResponseHandler: new (options: ReaderOptions) => Reader
  readonly ParserConfig: new (options: object) => unknown
  readonly OPENAI_PROFILE: { readonly signaturePatterns: unknown; readonly parser: unknown }
}

/** One of its strategies. */
interface NamedReader {
  readonly name: string
  readonly role: Runner['role']
  create(): Reader
}

async function load(root: string): Promise<Modules> {
  const files = [
    'parser/index.js',
    'handlers/parsing-streaming-response-handler.js',
    'parser/json-parsing-strategies/registry.js',
  ]
  const urls = files.map((file) => pathToFileURL(`${root}/dist/agent/streaming/${file}`).href)
  try {
    const loaded = await Promise.all(urls.map((url) => import(url) as Promise<object>))
    return Object.assign({}, ...loaded) as Modules
  } catch (cause) {
    throw new Error(`MILLRACE_BENCH_AUTOBYTEUS names no built autobyteus-ts: ${root}.`, { cause })
  }
}

const modules = folder === undefined ? undefined : await load(folder)
// It warns of every call that it cannot use, which would print thousands of lines.
if (modules !== undefined) console.warn = () => undefined

/** A note above the figures. */
export const autobyteusNote =
  modules === undefined
    ? 'AutoByteus-ts is not in the registry; set MILLRACE_BENCH_AUTOBYTEUS to the folder of a built one to see it here.'
    : 'AutoByteus-ts is the build that MILLRACE_BENCH_AUTOBYTEUS names.'

/** Its parser and its handler for a strategy; none without a local copy. */
export function autobyteusReaders(strategy: 'xml' | 'json' | 'sentinel'): readonly NamedReader[] {
  if (modules === undefined) return []
  const { createStreamingParser, ParsingStreamingResponseHandler, ParserConfig } = modules
  const { signaturePatterns, parser } = modules.OPENAI_PROFILE
  const config = new ParserConfig({ jsonToolPatterns: signaturePatterns, jsonToolParser: parser })
  const options: ReaderOptions = { parserName: strategy, config }
  return [
    {
      name: 'AutoByteus-ts parser',
      role: 'parser',
      create: () => createStreamingParser(options),
    },
    {
      name: 'AutoByteus-ts handler',
      role: 'handler',
      create: () => new ParsingStreamingResponseHandler(options),
    },
  ]
}

/** The same as measured runners. */
export function autobyteus(strategy: 'xml' | 'json' | 'sentinel'): readonly Runner[] {
  return autobyteusReaders(strategy).map(({ name, role, create }) => ({
    name,
    role,
    prepare: (chunks, sample) => () =>
      // It reads a sentinel marker that is split over chunks as text, so its content is not checked there.
      readAll(create(), chunks, strategy === 'sentinel' ? { text: sample.text } : sample),
  }))
}

function readAll(reader: Reader, chunks: readonly string[], sample: Sample): void {
  let length = 0
  const count = ({ payload: { delta } }: SegmentEvent) => {
    if (typeof delta === 'string') length += delta.length
  }
  for (const chunk of chunks) for (const event of reader.feed(chunk)) count(event)
  for (const event of reader.finalize()) count(event)
  demandContent(length, sample, 'AutoByteus-ts')
}
