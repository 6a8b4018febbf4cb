import { ChatAnthropic } from '@langchain/anthropic'
import { tool } from '@langchain/core/tools'
import { interrupt, MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { fromLangGraph } from 'millrace/adapters'
import { z } from 'zod'
import { openMill } from './emulated-mill.ts'
import { type Kit, toolResults } from './kit.ts'

interface Decision {
  readonly approved: boolean
  readonly editedArgs?: { readonly euros: number }
}

const tools = [
  tool(toolResults.look_up, {
    name: 'look_up',
    description: 'Looks a word up.',
    schema: z.object({ word: z.string() }),
  }),
  tool((_, { toolCall }) => interrupt<object, string>({ toolCallId: toolCall.id }), {
    name: 'ask_price',
    description: 'Asks for a price.',
    schema: z.object({ item: z.string() }),
  }),
  tool(
    (input, { toolCall }) => {
      const decision = interrupt<object, Decision>({ toolCallId: toolCall.id })
      if (!decision.approved) return 'The user refused.'
      return toolResults.pay(decision.editedArgs ?? input)
    },
    { name: 'pay', description: 'Pays.', schema: z.object({ euros: z.number() }) },
  ),
]

/** A graph of LangGraph.js. */
export const langGraph: Kit = {
  title: '`fromLangGraph`',
  notes: {
    crash: { text: 'continues after its last step or result' },
    steer: { lacks: true, text: 'refused with 409' },
  },
  open: (speed) => {
    const llm = new ChatAnthropic({
      model: 'emulated',
      apiKey: 'any',
      maxRetries: 0,
      maxTokens: 2048,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      clientOptions: { fetch: openMill(speed).fetch, maxRetries: 0 },
    })
    const graph = createReactAgent({ llm, tools, checkpointer: new MemorySaver() })
    return fromLangGraph({ name: 'mill', graph, frontendTools: ['ask_price'] })
  },
}
