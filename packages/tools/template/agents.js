import { createAgent, defineTool } from 'millrace/agent'
import { z } from 'zod'
import { model } from './model.js'

// A tool is a function that the model may call. Its input is checked before it runs; the model reads its return value.
const grind = defineTool({
  name: 'grind',
  description: 'Grinds grain and says how much flour it gives.',
  input: z.object({ kilograms: z.number().positive().describe('How much grain to grind') }),
  run: ({ kilograms }) => `${Math.round(kilograms * 80) / 100} kg of flour`,
})

const miller = createAgent({
  name: 'miller',
  model,
  system: 'You run a watermill. Answer in a sentence or two, and grind before you name an amount.',
  tools: [grind],
})

// The agents that `millrace serve` serves, by the name that clients use.
export const agents = { miller }
