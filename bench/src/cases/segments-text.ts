import { prose } from '../deltas.ts'
import { aiSdkReasoning } from '../peers/ai-sdk-reasoning.ts'
import { aiSdkToolHermes } from '../peers/ai-sdk-tool.ts'
import { autobyteus } from '../peers/autobyteus.ts'
import { floor } from '../segments/floor.ts'
import { millrace, millraceParser } from '../segments/ours.ts'
import { fill, plainText } from '../segments/texts.ts'
import { throughputBench } from '../segments/throughput-report.ts'
import { plainSample, type Workload } from '../segments/workload.ts'

const xml = { ours: millrace({ strategy: 'xml' }), peers: autobyteus('xml') }
const json = {
  ours: millrace({ strategy: 'json', provider: 'openai' }),
  peers: autobyteus('json'),
}
const tags = {
  ours: [millraceParser({ formats: ['think', 'hermes'] })],
  peers: [aiSdkReasoning, aiSdkToolHermes],
}

/** Repeats text of a model that opens no segment. */
function repeated(unit: string): Workload['build'] {
  return (length) => plainSample(fill(unit, length))
}

const workloads: readonly Workload[] = [
  {
    name: 'plain text, xml',
    build: (length) => plainSample(plainText(length)),
    ours: xml.ours,
    peers: [floor, ...xml.peers],
  },
  { name: 'beyond ASCII, xml', build: (length) => plainSample(prose(length)), ...xml },
  { name: 'many <, xml', build: repeated('if a < b and c <d then '), ...xml },
  { name: 'many <…>, xml', build: repeated('a <b>bold</b> word, <i>so</i>; '), ...xml },
  {
    name: 'Markdown with code, xml',
    build: repeated(
      'Turn the `wheel` first:\n\n```ts\nconst a: A<B> = { c }\n```\n\nThen grind.\n',
    ),
    ...xml,
  },
  { name: 'many {, json', build: repeated('a { b: 1, c: [2] } and {d} '), ...json },
  {
    name: 'plain text, think and hermes',
    build: (length) => plainSample(plainText(length)),
    ...tags,
  },
  {
    name: 'many <, think and hermes',
    build: repeated('if a < b and c <d then '),
    ...tags,
  },
]

/** Text without a call, like most output of models. */
export const segmentsTextBench = throughputBench(
  'segments-text',
  '1 MiB of text without a call',
  workloads,
)
