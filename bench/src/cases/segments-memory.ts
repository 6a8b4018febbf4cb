import { createSegmentParser, createStreamingResponseHandler } from 'millrace/segments'
import type { Bench } from '../bench-case.ts'
import { autobyteusReaders } from '../peers/autobyteus.ts'
import { type Feeder, FIRST, measureRetained, SECOND } from '../segments/retained.ts'
import { formatTable } from '../table.ts'

/** Maximum growth between the two measurements; the stream has 15 MB between them. */
const ALLOWED_BYTES = 131_072

interface Stream {
  readonly name: string
  readonly create: () => Feeder
  readonly opener?: string
  readonly unit: string
  /** Peers are shown without a bound. */
  readonly isPeer?: boolean
}

const xml = () => createSegmentParser({ strategy: 'xml' })
const json = () => createSegmentParser({ strategy: 'json', provider: 'openai' })
const hermes = () => createSegmentParser({ formats: ['hermes'] })
const onInvocation = () => undefined
const words = 'some words of a text that does not end '
const fileArguments = '<arguments><arg name="path">a</arg><arg name="content">'

const streams: readonly Stream[] = [
  { name: 'text, parser', create: xml, unit: words },
  { name: 'text full of <, parser', create: xml, unit: 'a < b <c <d> e ' },
  { name: 'text full of {, parser', create: json, unit: 'a { b {"c": {} ' },
  { name: 'text full of backticks, parser', create: xml, unit: 'a `b` ``c`` ```d ' },
  { name: '<write_file>, parser', create: xml, opener: '<write_file path="a">', unit: words },
  {
    name: '<tool name="write_file">, parser',
    create: xml,
    opener: `<tool name="write_file">${fileArguments}`,
    unit: words,
  },
  { name: '<tool name="…">, parser', create: xml, opener: '<tool name="note">', unit: words },
  {
    name: 'sentinel, parser',
    create: () => createSegmentParser({ strategy: 'sentinel' }),
    opener: '[[SEG_START {"type":"write_file","path":"a"}]]',
    unit: words,
  },
  {
    name: 'JSON call, parser',
    create: json,
    opener: '{"tool": {"function": "f", "parameters": {"a": "',
    unit: words,
  },
  {
    name: 'hermes file, parser',
    create: hermes,
    opener: '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"',
    unit: words,
  },
  {
    name: 'hermes arguments, parser',
    create: hermes,
    opener: '<tool_call>{"name":"f","arguments":{"a":"',
    unit: words,
  },
  {
    name: '<think>, parser',
    create: () => createSegmentParser({ formats: ['think'] }),
    opener: '<think>',
    unit: words,
  },
  {
    name: 'text, handler',
    create: () => createStreamingResponseHandler({ strategy: 'xml', onInvocation }),
    unit: words,
  },
  {
    name: 'calls, handler',
    create: () =>
      createStreamingResponseHandler({
        strategy: 'xml',
        onInvocation,
        limits: { maxCalls: 1_000_000 },
      }),
    unit: '<run_bash>ls</run_bash> and ',
  },
  ...autobyteusReaders('xml').map(({ name, create }) => ({
    name: `text, ${name}`,
    create,
    unit: words,
    isPeer: true,
  })),
]

const toKilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} KB`

/** Measures the memory that an endless stream retains. */
export const segmentsMemoryBench: Bench = {
  name: 'segments-memory',
  run: async (onProgress) => {
    const rows: string[][] = []
    const faults: string[] = []
    for (const { name, create, opener = '', unit, isPeer = false } of streams) {
      onProgress(`segments-memory: ${name}`)
      const { first, second } = measureRetained(create, opener, unit)
      rows.push([name, toKilobytes(second - first)])
      if (!isPeer && second - first > ALLOWED_BYTES)
        faults.push(`${name}: the retained memory grows with the stream`)
    }
    return {
      text: [
        `segments-memory: live bytes after ${SECOND} MB of an open stream, minus those after ${FIRST} MB`,
        formatTable(rows),
      ].join('\n'),
      faults,
    }
  },
}
