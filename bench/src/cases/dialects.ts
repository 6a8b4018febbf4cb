import { type LogFormat, openFormat } from 'millrace/dialects'
import { defaultProtocols } from 'millrace/protocols'
import type { Bench, BenchCase, CaseReport, Contender } from '../bench-case.ts'
import { AGENT, demand, prose } from '../deltas.ts'
import { bytesByGuide, bytesInFormat } from '../dialects/subagent-bytes.ts'
import { runOf, subagentRunOf } from '../dialects/workload.ts'
import { MAX_GROWTH } from '../growth.ts'
import { toBench } from '../report.ts'
import { formatTable } from '../table.ts'

const BASE_MESSAGES = 6_000
const ANSWER_LENGTH = 20 * 1024
const noQuery = new URLSearchParams()

/** Writes a run in a format, frame by frame, as for one reader. */
function write(format: LogFormat): Contender {
  return {
    name: `millrace, ${format.name}`,
    prepare(scale) {
      const run = runOf(scale * BASE_MESSAGES)
      // A server has other readers when memory is collected. Without one, V8 would drop the hidden classes of writers and
      // compile them again after each collection, which costs more than the work.
      let other: unknown
      return () => {
        const writer = openFormat(format, AGENT)
        let length = 0
        let id = 0
        for (const envelope of run)
          for (const { data = '' } of writer.write(envelope, ++id)) length += data.length
        for (const { data = '' } of writer.finish('done')) length += data.length
        demand(length > scale * BASE_MESSAGES * 8, format.name)
        other = writer
        return other
      }
    },
  }
}

/** The minimum work of any writer: each frame as JSON. */
const stringify: Contender = {
  name: 'JSON.stringify alone, of the same envelopes',
  prepare(scale) {
    const run = runOf(scale * BASE_MESSAGES)
    return () => {
      let length = 0
      for (const envelope of run) length += JSON.stringify(envelope).length
      return length
    }
  },
}

function toCase(format: LogFormat): BenchCase {
  return {
    name: 'dialects',
    job: `a run of thinking, a call and text, 48,000 messages at 8×, as ${format.name}`,
    unit: 'message',
    count: (scale) => scale * BASE_MESSAGES,
    ours: write(format),
    floor: stringify,
    peers: [],
  }
}

/** The formats that contain the text of sub-agents. */
const showing = ['json', 'ai-sdk', 'ag-ui']

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

/** The bytes of one answer, and of an answer of twice the length. */
async function measureBytes(deltaLength: number): Promise<CaseReport> {
  const answers = [ANSWER_LENGTH, 2 * ANSWER_LENGTH].map(prose)
  const shown = defaultProtocols().filter(({ name }) => showing.includes(name))
  const formats = await Promise.all(shown.map(({ load }) => load()))
  const ours = formats.map(({ format }) => {
    const { name } = format(noQuery)
    const bytes = answers.map((answer) =>
      bytesInFormat(format(noQuery), subagentRunOf(answer, deltaLength)),
    )
    return { name: `millrace, ${name}`, bytes }
  })
  const theirs = {
    name: 'AI SDK, preliminary outputs as its guide has them',
    bytes: await Promise.all(answers.map((answer) => bytesByGuide(answer, deltaLength))),
  }
  const rows = [...ours, theirs].map(({ name, bytes: [one = 0, two = 0] }) => [
    name,
    kilobytes(one),
    kilobytes(two),
    (two / one).toFixed(2),
  ])
  const head = [`bytes on the wire, deltas of ${deltaLength}`, '20 KiB', '40 KiB', 'growth']
  const faults = ours
    .filter(({ bytes: [one = 0, two = 0] }) => two / one > MAX_GROWTH)
    .map(({ name }) => `${name} sends more than ${MAX_GROWTH} times as much for twice the answer`)
  return { text: formatTable([head, ...rows]), faults }
}

/**
 * Measures the cost of each format, and the size of a sub-agent's answer in those that show it.
 */
export const dialectsBench: Bench = {
  name: 'dialects',
  async run(onProgress, options) {
    const reports: CaseReport[] = []
    for (const protocol of defaultProtocols()) {
      const { format } = await protocol.load()
      reports.push(await toBench(toCase(format(noQuery))).run(onProgress, options))
    }
    onProgress('dialects: bytes of a sub-agent')
    for (const deltaLength of [16, 4]) reports.push(await measureBytes(deltaLength))
    return {
      text: reports.map(({ text }) => text).join('\n\n'),
      faults: reports.flatMap(({ faults }) => faults),
    }
  },
}
