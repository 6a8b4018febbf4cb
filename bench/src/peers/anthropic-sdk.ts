import { Anthropic } from '@anthropic-ai/sdk'
import { demand } from '../deltas.ts'
import { answerWith, type MessageRunner } from '../messages/runner.ts'

/** The official SDK's own stream, with its listener for tool input if the value is read. */
export const anthropicSdk: MessageRunner = {
  name: '@anthropic-ai/sdk 1.8 messages.stream',
  prepare(sample, { readsInput }) {
    const client = new Anthropic({ apiKey: 'none', fetch: answerWith(sample) })
    return async () => {
      const stream = client.messages.stream({
        model: 'm',
        max_tokens: 1000,
        messages: [{ role: 'user', content: 'Hi' }],
      })
      let value: unknown
      if (readsInput) stream.on('inputJson', (_delta, snapshot) => (value = snapshot))
      const { content } = await stream.finalMessage()
      demand(sample.isWhole(content) && (!readsInput || value !== undefined), 'the official SDK')
    }
  },
}
