import { extractReasoningMiddleware, wrapLanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { demandContent, type Runner } from '../segments/workload.ts'
import { readParts, streamDeltas } from './model-parts.ts'

const middleware = extractReasoningMiddleware({ tagName: 'think' })

/** The AI SDK's own reader of `<think>`, which reads nothing else. */
export const aiSdkReasoning: Runner = {
  name: 'AI SDK 6 extractReasoningMiddleware',
  role: 'parser',
  prepare: (chunks, sample) => async () => {
    const doStream = async () => ({ stream: streamDeltas(chunks) })
    const model = wrapLanguageModel({ model: new MockLanguageModelV3({ doStream }), middleware })
    const { stream } = await model.doStream({ prompt: [] })
    let length = 0
    await readParts(stream, (part) => {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') length += part.delta.length
    })
    demandContent(length, sample, 'AI SDK')
  },
}
