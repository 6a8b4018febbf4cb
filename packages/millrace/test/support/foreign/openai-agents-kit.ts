import {
  Agent,
  OpenAIChatCompletionsModel,
  run,
  RunState,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import { OpenAI } from 'openai'
import { fromOpenAiAgents } from 'millrace/adapters'
import { z } from 'zod'
import { openMill } from './emulated-mill.ts'
import { type Kit, toolResults } from './kit.ts'

setTracingDisabled(true)

const tools = [
  tool({
    name: 'look_up',
    description: 'Looks a word up.',
    parameters: z.object({ word: z.string() }),
    execute: toolResults.look_up,
  }),
  tool({
    name: 'ask_price',
    description: 'Asks for a price.',
    parameters: z.object({ item: z.string() }),
    needsApproval: true,
    execute: () => 'unknown',
  }),
  tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ euros: z.number() }),
    needsApproval: true,
    execute: toolResults.pay,
  }),
]

/** An agent of the OpenAI Agents SDK. */
export const openAiAgents: Kit = {
  title: '`fromOpenAiAgents`',
  notes: {
    crash: { text: 'continues after its last step or result' },
    steer: { lacks: true, text: 'refused with 409' },
  },
  open: (speed) => {
    const { fetch } = openMill(speed)
    const baseURL = 'http://emulator.test/v1'
    const client = new OpenAI({ apiKey: 'any', baseURL, fetch, maxRetries: 0 })
    const model = new OpenAIChatCompletionsModel(client, 'emulated')
    const miller = new Agent({ name: 'miller', model, tools })
    return fromOpenAiAgents({
      name: 'mill',
      frontendTools: ['ask_price'],
      restore: (state) => RunState.fromString(miller, state),
      run: ({ input, signal }) => run(miller, input, { stream: true, signal }),
    })
  },
}
