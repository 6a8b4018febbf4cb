import { z } from 'zod'
import { type CreatedAgent, createAgent, defineTool, type Tool } from 'millrace/agent'
import type { Model } from 'millrace/anthropic'
import { archiveOf, demoPrices, pretendToWork, readingsOf } from './demo-facts.ts'
import { userConfirm } from './demo-tools.ts'

/** Options of the sub-agents of the demo agent. */
interface DemoSubagentsOptions {
  readonly model: Model
  /** Approximate simulated duration of their tools, so that users can watch. */
  readonly toolDelayMs: number
  readonly onError: (error: unknown) => void
}

/** Creates the sub-agents of the demo agent: one may ask the user, the other may spawn a third. */
export function createDemoSubagents(options: DemoSubagentsOptions): readonly CreatedAgent[] {
  const { model, toolDelayMs, onError } = options
  const shared = { model, onError, prices: demoPrices }
  const surveyor = createAgent({
    name: 'surveyor',
    ...shared,
    description: 'Measures at mills, with an instrument.',
    system: 'You are a surveyor. Measure with your tool, then say in one sentence what you found.',
    tools: [createMeasureFall(toolDelayMs)],
  })
  const engineer = createAgent({
    name: 'engineer',
    ...shared,
    description: 'Works out what water wheels can do.',
    system:
      'You are an engineer. Have the surveyor measure what you do not know. Answer in two sentences.',
    subagents: [surveyor],
  })
  const historian = createAgent({
    name: 'historian',
    ...shared,
    description: 'Knows the archive of the mills.',
    system:
      'You are a historian. Search the archive; before you quote what is private, ask with user_confirm. Answer in two sentences.',
    tools: [createSearchArchive(toolDelayMs), userConfirm],
  })
  return [historian, engineer]
}

function createSearchArchive(toolDelayMs: number): Tool {
  return defineTool({
    name: 'search_archive',
    description: 'Searches the archive of the mills (made up).',
    input: z.object({ query: z.string().min(1).max(200).describe('What to look for') }),
    idempotent: true,
    run: async ({ query }, { signal, progress }) => {
      const boxes = ['ledgers', 'letters', 'maps']
      for (const [index, box] of boxes.entries()) {
        progress(`Box ${index + 1} of ${boxes.length}: ${box}`)
        await pretendToWork(toolDelayMs * 0.8, signal)
      }
      return archiveOf(query)
    },
  })
}

function createMeasureFall(toolDelayMs: number): Tool {
  return defineTool({
    name: 'measure_fall',
    description: 'Measures how far the water falls at a mill, several times (made up).',
    input: z.object({
      site: z.string().min(1).max(80).describe('Which mill'),
      readings: z.number().int().min(1).max(20).describe('How often to measure'),
    }),
    idempotent: true,
    run: async ({ site, readings }, { signal, progress }) => {
      const metres = readingsOf(site, readings)
      for (const [index, reading] of metres.entries()) {
        await pretendToWork(toolDelayMs * 0.7, signal)
        progress(`Reading ${index + 1} of ${readings}: ${reading.toFixed(2)} m`)
      }
      const [low, high] = [Math.min(...metres), Math.max(...metres)]
      return `${readings} readings, from ${low.toFixed(2)} m to ${high.toFixed(2)} m.`
    },
  })
}
