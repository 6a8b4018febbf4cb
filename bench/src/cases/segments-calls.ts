import { aiSdkToolHermes, aiSdkToolQwen } from '../peers/ai-sdk-tool.ts'
import { autobyteus } from '../peers/autobyteus.ts'
import { millrace, millraceParser } from '../segments/ours.ts'
import { sourceCode } from '../segments/texts.ts'
import { throughputBench } from '../segments/throughput-report.ts'
import { bodySample, plainSample, type Sample, type Workload } from '../segments/workload.ts'

/** A call whose JSON is shown unchanged. */
function rawCall(length: number): Sample {
  const call = {
    tool: { function: 'note', parameters: { path: 'a', content: sourceCode(length) } },
  }
  const text = JSON.stringify(call)
  return plainSample(text)
}

/** A call in `<tool_call>`, whose segment shows the decoded file or the arguments. */
function hermesCall(name: string, length: number): Sample {
  const content = sourceCode(length)
  const input = JSON.stringify({ path: 'src/mill.ts', content })
  return {
    text: `<tool_call>\n{"name":"${name}","arguments":${input}}\n</tool_call>`,
    contentLength: name === 'write_file' ? content.length : input.length,
    bodyLength: content.length,
  }
}

const workloads: readonly Workload[] = [
  {
    name: 'JSON, the call as it stands',
    build: rawCall,
    ours: millrace({ strategy: 'json', provider: 'openai' }),
    peers: autobyteus('json'),
  },
  {
    name: 'hermes, a file decoded while it is written',
    build: (length) => hermesCall('write_file', length),
    ours: [millraceParser({ formats: ['hermes'] })],
    peers: [aiSdkToolHermes],
  },
  {
    name: 'hermes, arguments as they stand',
    build: (length) => hermesCall('note', length),
    ours: [millraceParser({ formats: ['hermes'] })],
    peers: [aiSdkToolHermes],
  },
  {
    name: 'qwen3coder, a file in a tagged argument',
    build: (length) =>
      bodySample(
        '<tool_call>\n<function=write_file>\n<parameter=path>\nsrc/mill.ts\n</parameter>\n<parameter=content>\n',
        sourceCode(length),
        '\n</parameter>\n</function>\n</tool_call>',
      ),
    ours: [millraceParser({ formats: ['qwen3coder'] })],
    peers: [aiSdkToolQwen],
  },
]

/** One call with a long argument. */
export const segmentsCallsBench = throughputBench(
  'segments-calls',
  'one call with 1 MiB of arguments',
  workloads,
)
