import { hermesProtocol, qwen3CoderProtocol, type TCMProtocol } from '@ai-sdk-tool/parser'
import { demand } from '../deltas.ts'
import { demandContent, type Runner, type Sample } from '../segments/workload.ts'
import { type ModelPart, readParts, streamDeltas } from './model-parts.ts'

type StreamParserOptions = Parameters<TCMProtocol['createStreamParser']>[0]

const tools: StreamParserOptions['tools'] = [
  {
    type: 'function',
    name: 'write_file',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
    },
  },
]

function demandWhole(sample: Sample, textLength: number, input = '{}'): void {
  if (sample.bodyLength === undefined) return demandContent(textLength, sample, '@ai-sdk-tool')
  const { content } = JSON.parse(input) as { content?: string }
  demand(content?.length === sample.bodyLength, '@ai-sdk-tool')
}

/** The stream parser alone, without the middleware around it. */
function createRunner(name: string, protocol: () => TCMProtocol): Runner {
  return {
    name: `@ai-sdk-tool/parser 4.1 ${name}`,
    role: 'parser',
    prepare: (chunks, sample) => async () => {
      let textLength = 0
      let input: string | undefined
      const onPart = (part: ModelPart) => {
        if (part.type === 'text-delta') textLength += part.delta.length
        if (part.type === 'tool-call') input = part.input
      }
      const parser = protocol().createStreamParser({ tools })
      await readParts(streamDeltas(chunks).pipeThrough(parser), onPart)
      demandWhole(sample, textLength, input)
    },
  }
}

/** Reads `<tool_call>` with JSON inside. */
export const aiSdkToolHermes = createRunner('hermes', hermesProtocol)

/** Reads `<tool_call>` with tagged arguments inside. */
export const aiSdkToolQwen = createRunner('qwen3coder', qwen3CoderProtocol)
