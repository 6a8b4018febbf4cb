import fc from 'fast-check'
import {
  type AgentOptions,
  createAgent,
  type CreatedAgent,
} from '../../../src/agent/create-agent.ts'
import { defineFrontendTool, defineTool } from '../../../src/tools/define-tool.ts'
import type { Tool, ToolContext } from '../../../src/tools/tool.ts'
import { slidingWindow } from '../../../src/agent/compaction/sliding-window.ts'
import { anything } from './agent-harness.ts'
import {
  type CallNaming,
  createPlannedModel,
  type ModelWatch,
  type PlannedReply,
} from './planned-model.ts'
import type { Stage } from './stage.ts'

/** The properties of agents apart from the output of their models. */
export interface AgentTemper {
  readonly maxSteps: number
  readonly maxParallelTools: number
  readonly subagentsNeedApproval: boolean
  readonly compactor: 'none' | 'window' | 'odd'
  readonly checksAnswers: boolean
}

/** The parts of three agents, each the sub-agent of the one before. */
export interface AgentsPlan {
  readonly temper: AgentTemper
  readonly naming: CallNaming
  readonly replies: Readonly<Record<AgentName, readonly PlannedReply[]>>
}

/** The root, its sub-agent, and the sub-agent of that. */
export type AgentName = 'tester' | 'helper' | 'digger'

const below: Readonly<Record<AgentName, string>> = {
  tester: 'helper',
  helper: 'digger',
  digger: '',
}

/** Agents with any properties. */
export const anyTemper: fc.Arbitrary<AgentTemper> = fc.record({
  maxSteps: fc.constantFrom(20, 20, 3),
  maxParallelTools: fc.constantFrom(5, 1, 2),
  subagentsNeedApproval: fc.constantFrom(false, false, true),
  compactor: fc.constantFrom('none', 'window', 'odd'),
  checksAnswers: fc.constantFrom(false, false, true),
})

/** The work of the tools of these agents. */
export interface ToolWatch {
  /** The number of executions of a call, by its id; only of tools that may not run twice. */
  readonly unsafeRuns: Map<string, number>
  /** The mark of the call that ran after an approval, by its id. */
  readonly approvedRuns: Map<string, unknown>
}

/** Creates an empty record of models and tools. */
export function createWatch(): ModelWatch & ToolWatch {
  return { requests: [], tokens: 0, ids: 0, unsafeRuns: new Map(), approvedRuns: new Map() }
}

/** Any naming of calls by providers. */
export const anyNaming: fc.Arbitrary<CallNaming> = fc.constantFrom('unique', 'numbered', 'same')

/** Creates the agents of a plan; all delays wait on the stage. */
export function createAgents(
  { temper, naming, replies }: AgentsPlan,
  watch: ModelWatch & ToolWatch,
  stage: Stage,
): CreatedAgent {
  const tools = createTools(watch, stage)
  let ids = 0
  const create = (name: AgentName, subagents: readonly CreatedAgent[]): CreatedAgent =>
    createAgent({
      name,
      description: `a ${name}`,
      model: createPlannedModel(
        { replies: replies[name], subagent: below[name], naming },
        watch,
        stage,
      ),
      tools,
      subagents,
      createId: () => `${name}-${++ids}`,
      wait: (_ms, signal) => stage.pass(signal),
      random: () => 1,
      retries: 1,
      maxResultChars: 60,
      abortGraceMs: 0,
      ...toOptions(temper),
    })
  return create('tester', [create('helper', [create('digger', [])])])
}

function toOptions({ compactor, checksAnswers, ...limits }: AgentTemper): Partial<AgentOptions> {
  return {
    ...limits,
    compactor: compactors[compactor],
    ...(checksAnswers && {
      finalAnswerCheck: async (answer: string) => answer.length > 4 || 'Say more.',
      maxAnswerChecks: 1,
    }),
  }
}

const compactors = {
  none: 'none',
  window: slidingWindow({ maxTokens: 120, keepLast: 2, oldResultChars: 10, recentTurns: 1 }),
  odd: {
    name: 'odd',
    compact: ({ messages, estimatedTokens }) =>
      estimatedTokens > 120 ? messages.slice(-3) : messages,
  },
} satisfies Record<string, AgentOptions['compactor']>

function createTools({ unsafeRuns, approvedRuns }: ToolWatch, stage: Stage): readonly Tool[] {
  const count = ({ callId }: ToolContext) =>
    unsafeRuns.set(callId, (unsafeRuns.get(callId) ?? 0) + 1)
  const pass = async (_input: unknown, context: ToolContext) => {
    count(context)
    for (let turn = 0; turn < 4; turn++) await stage.pass(context.signal)
    return 'ran'
  }
  const passApproved = (input: Record<string, unknown>, context: ToolContext) => {
    approvedRuns.set(context.callId, input['mark'])
    return pass(input, context)
  }
  const base = { description: '', input: anything }
  const fail = () => {
    throw new Error('no')
  }
  const chat = async (_input: unknown, context: ToolContext) => {
    context.progress('one')
    await stage.pass(context.signal)
    context.progress('two')
    context.progress('three')
    return 'x'.repeat(100)
  }
  const isDangerous = async ({ danger }: { danger?: unknown }) => {
    await stage.pass()
    return danger === true
  }
  return [
    defineTool({ ...base, name: 'quick', run: (_input, context) => void count(context) }),
    defineTool({ ...base, name: 'slow', run: pass }),
    defineTool({ ...base, name: 'safe', run: () => stage.pass(), idempotent: true }),
    defineTool({ ...base, name: 'bad', run: fail }),
    defineTool({ ...base, name: 'chatty', run: chat, idempotent: true }),
    defineTool({ ...base, name: 'guarded', run: passApproved, needsApproval: true }),
    defineTool({ ...base, name: 'judged', run: pass, needsApproval: isDangerous }),
    defineFrontendTool({ ...base, name: 'confirm' }),
    defineFrontendTool({ ...base, name: 'sign', needsApproval: true }),
  ]
}
