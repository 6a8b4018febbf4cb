import * as six from 'ai-6'
import * as seven from 'ai-7'
import { createOpenAICompatible as createForSix } from 'ai-sdk-compatible-2'
import { createOpenAICompatible as createForSeven } from 'ai-sdk-compatible-3'
import { fromAiSdk } from 'millrace/adapters'
import { z } from 'zod'
import { openMill, type Speed } from './emulated-mill.ts'
import { type Kit, toolResults } from './kit.ts'

const inputs = {
  look_up: z.object({ word: z.string() }),
  ask_price: z.object({ item: z.string() }),
  pay: z.object({ euros: z.number() }),
}

const emulated = (speed: Speed) => ({
  name: 'emulated',
  apiKey: 'any',
  baseURL: 'http://emulator.test/v1',
  fetch: openMill(speed).fetch,
  includeUsage: true,
})

const notes: Kit['notes'] = {
  crash: { text: 'continues after its last step or result' },
  steer: { lacks: true, text: 'refused with 409' },
}

/** `streamText` of version 6. */
export const aiSdk6: Kit = {
  title: '`fromAiSdk`, version 6',
  notes,
  open: (speed) =>
    fromAiSdk({
      name: 'mill',
      run: ({ messages, signal }) =>
        six.streamText({
          model: createForSix(emulated(speed))('emulated'),
          messages,
          abortSignal: signal,
          maxRetries: 0,
          onError: () => {},
          stopWhen: six.stepCountIs(5),
          tools: {
            look_up: six.tool({ inputSchema: inputs.look_up, execute: toolResults.look_up }),
            ask_price: six.tool({ inputSchema: inputs.ask_price }),
            pay: six.tool({
              inputSchema: inputs.pay,
              needsApproval: true,
              execute: toolResults.pay,
            }),
          },
        }),
    }),
}

/** A `ToolLoopAgent` of version 7. */
export const aiSdk7: Kit = {
  title: '`fromAiSdk`, version 7',
  notes,
  open: (speed) => {
    const loop = new seven.ToolLoopAgent({
      model: createForSeven(emulated(speed))('emulated'),
      maxRetries: 0,
      onError: () => {},
      tools: {
        look_up: seven.tool({ inputSchema: inputs.look_up, execute: toolResults.look_up }),
        ask_price: seven.tool({ inputSchema: inputs.ask_price }),
        pay: seven.tool({
          inputSchema: inputs.pay,
          needsApproval: true,
          execute: toolResults.pay,
        }),
      },
    })
    return fromAiSdk({
      name: 'mill',
      run: ({ messages, signal }) => loop.stream({ messages, abortSignal: signal }),
    })
  },
}
