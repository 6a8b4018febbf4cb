import { aiSdkReasoning } from '../peers/ai-sdk-reasoning.ts'
import { autobyteus } from '../peers/autobyteus.ts'
import { millrace, millraceParser } from '../segments/ours.ts'
import { plainText, sourceCode } from '../segments/texts.ts'
import { throughputBench } from '../segments/throughput-report.ts'
import { bodySample, type Workload } from '../segments/workload.ts'

const xml = { ours: millrace({ strategy: 'xml' }), peers: autobyteus('xml') }

const fileArguments = '<arguments><arg name="path">src/mill.ts</arg><arg name="content">'

/** A file between an opener and a closer. */
function file(opener: string, closer: string): Workload['build'] {
  return (length) => bodySample(opener, sourceCode(length), closer)
}

const workloads: readonly Workload[] = [
  {
    name: '<write_file path="…">',
    build: file('<write_file path="src/mill.ts">', '</write_file>'),
    ...xml,
  },
  {
    name: '<tool name="write_file">',
    build: file(`<tool name="write_file">${fileArguments}`, '</arg></arguments></tool>'),
    ...xml,
  },
  {
    name: '<tool name="write_file"> with content markers',
    build: file(
      `<tool name="write_file">${fileArguments}__START_CONTENT__`,
      '__END_CONTENT__</arg></arguments></tool>',
    ),
    ...xml,
  },
  { name: '<tool name="…">', build: file('<tool name="note">', '</tool>'), ...xml },
  {
    name: 'sentinel',
    build: file('[[SEG_START {"type":"write_file","path":"src/mill.ts"}]]', '[[SEG_END]]'),
    ours: millrace({ strategy: 'sentinel' }),
    peers: autobyteus('sentinel'),
  },
  {
    name: '<think>',
    build: (length) => bodySample('<think>', plainText(length), '</think>'),
    ours: [millraceParser({ formats: ['think'] })],
    peers: [aiSdkReasoning],
  },
]

/** A long body between tags. */
export const segmentsBodiesBench = throughputBench(
  'segments-bodies',
  'one body of 1 MiB between tags',
  workloads,
)
