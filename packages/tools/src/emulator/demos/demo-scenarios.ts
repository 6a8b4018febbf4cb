import type { Pace } from '../pace.ts'
import type { Scenario, Turn } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import { demoApproval } from './tools/demo-approval.ts'
import { demoCitations } from './demo-citations.ts'
import { demoCodeExecution } from './tools/demo-code-execution.ts'
import { demoCut } from './endings/demo-cut.ts'
import { demoDeception } from './endings/demo-deception.ts'
import { demoError } from './endings/demo-error.ts'
import { call, createDemo, say } from './tools/demo-command.ts'
import { demoFiles } from './tools/demo-files.ts'
import { demoFrontend } from './tools/demo-frontend.ts'
import { demoMaxTokens } from './endings/demo-max-tokens.ts'
import { demoMcp } from './tools/demo-mcp.ts'
import { demoOverloaded } from './endings/demo-overloaded.ts'
import { demoParallelTools } from './tools/demo-parallel-tools.ts'
import { demoPatch } from './tools/demo-patch.ts'
import { demoPauseTurn } from './endings/demo-pause-turn.ts'
import { demoRefusal } from './endings/demo-refusal.ts'
import { demoText } from './demo-text.ts'
import { demoTools } from './tools/demo-tools.ts'
import { demoWebSearch } from './tools/demo-web-search.ts'
import { createWelcome } from './demo-welcome.ts'
import { demoWriteFile } from './tools/demo-write-file.ts'
import { engineerTask, historianTask, subagentScenarios, toReport } from './subagent-scenarios.ts'
import { toFields } from './tools/tool-fields.ts'

const tasks = [
  { agent_name: 'historian', task: historianTask },
  { agent_name: 'engineer', task: engineerTask },
]

/** Tasks for sub-agents that run in parallel and delegate parts of their tasks. */
const demoSubagents = createDemo('subagents', {
  summary: 'Two concurrent agents: one asks you, the other spawns a third',
  tools: ['spawn_subagent'],
  reply: (turn) => (turn.step === 0 ? spawn() : collect(turn)),
})

const defaultCount = 5000

/** 25,000 deltas take 25 seconds: enough time to reload the page in the middle. */
const suggestedCount = 25_000
const maxCount = 100_000

const pace: Pace = { tokensPerSecond: 1000, firstTokenMs: 100, jitter: 0 }

/** A long answer that counts its own deltas, so that a missing or repeated delta is visible. */
const demoLong = {
  ...createDemo('long', {
    summary: 'A long answer that counts: reload in the middle and look for a missing number',
    read: (rest) => ({ count: readCount(rest) }),
    reply: ({ args }) => ({
      blocks: [{ type: 'text', text: Array.from({ length: Number(args['count']) }, toPiece) }],
      maxTokens: Infinity,
    }),
  }),
  pace,
  prompt: `/demo long ${suggestedCount}`,
}

const thinking = [
  'The question I set myself: how many squares are there on a chessboard? The quick answer is 64, but that counts only the small ones. Larger squares, made of several fields, are squares too.',
  '',
  'Let me count by size. A square of side 1 fits in 8 × 8 = 64 places. One of side 2 can start in any of the first 7 columns and 7 rows, so 49. Side 3 gives 36, side 4 gives 25, then 16, 9, 4, and the whole board is 1.',
  '',
  '64 + 49 = 113. 113 + 36 = 149. 149 + 25 = 174. 174 + 16 = 190. 190 + 9 = 199. 199 + 4 = 203. 203 + 1 = 204.',
  '',
  'A check with the formula for the sum of squares, n(n + 1)(2n + 1) / 6: 8 × 9 × 17 / 6 = 1224 / 6 = 204. Both ways agree.',
].join('\n')

const answer = [
  'I set myself a small puzzle: *how many squares are there on a chessboard?*',
  '',
  '**204.** There are 64 of side 1, 49 of side 2, 36 of side 3, and so on down to the board itself: 64 + 49 + 36 + 25 + 16 + 9 + 4 + 1.',
  '',
  'My thinking arrived as a separate block, so a page can collapse it. It has a signature, which the agent stores and returns with the next request, byte for byte: the API rejects thinking that was changed.',
].join('\n')

/** Reasoning before the answer. */
const demoThinking = createDemo('thinking', {
  summary: 'A puzzle, with thinking before the answer',
  reply: () => ({
    blocks: [
      { type: 'thinking', thinking },
      { type: 'text', text: answer },
    ],
  }),
})

/** A tool whose result is an image. */
const demoImages = createDemo('images', {
  summary: 'A tool that answers with a picture: a chart of the day’s temperatures',
  tools: ['draw_chart'],
  read: (rest) => ({ city: rest === '' ? 'Lisbon' : rest.slice(0, 80) }),
  reply: (turn) => (turn.step === 0 ? draw(turn) : look(turn)),
})

/** A prompt that a page can suggest. */
export interface DemoPrompt {
  readonly prompt: string
  readonly summary: string
  /** Heading under which similar prompts are listed. */
  readonly group: string
}

/** All demos, in an order for newcomers. */
const groups = {
  'Text and thinking': [demoText, demoThinking, demoCitations, demoLong],
  'Tools and sub-agents': [
    demoTools,
    demoParallelTools,
    demoWriteFile,
    demoImages,
    demoFrontend,
    demoApproval,
    demoPatch,
    demoDeception,
    demoSubagents,
  ],
  'Tools of the provider': [demoWebSearch, demoCodeExecution, demoFiles, demoMcp, demoPauseTurn],
  Failures: [demoMaxTokens, demoRefusal, demoOverloaded, demoCut, demoError],
}

/** The prompts of all demos, grouped. */
export const demoPrompts: readonly DemoPrompt[] = Object.entries(groups).flatMap(([group, demos]) =>
  demos.map(({ prompt, summary }) => ({ prompt, summary, group })),
)

/** Scenarios of the demo agent; the last one answers every other prompt. */
export const demoScenarios: readonly Scenario[] = [
  ...Object.values(groups).flat(),
  ...subagentScenarios,
  createWelcome(demoPrompts),
]

function draw({ args }: Turn): ScriptedReply {
  const city = String(args['city'])
  const text = `I will draw a chart of the temperatures in ${city} for one day.`
  return { blocks: [{ type: 'text', text }, call('draw_chart', { city })] }
}

function look({ results }: Turn): ScriptedReply {
  const [outcome] = results
  if (outcome === undefined || outcome.isError || outcome.images === 0) {
    return say(
      'The tool returned no picture.',
      ...(outcome === undefined ? [] : ['', `> ${outcome.text}`]),
    )
  }
  return say(
    `That is the picture. As text: ${outcome.text}`,
    '',
    'The stream does not contain the picture: one short frame has its address, and your page fetches it from there. I received the picture itself, as bytes in the tool’s result.',
  )
}

function toPiece(_: unknown, index: number): string {
  if (index === 0) return '1'
  return index % 100 === 0 ? `\n\n${index + 1}` : ` ${index + 1}`
}

function readCount(rest: string): number {
  const count = Number.parseInt(rest.replace(/[,_]/g, ''), 10)
  return Number.isNaN(count) ? defaultCount : Math.min(Math.max(count, 1), maxCount)
}

function spawn(): ScriptedReply {
  const text =
    'Two questions about one mill that have nothing to do with each other. I give each to a separate agent and combine the answers.'
  return { blocks: [{ type: 'text', text }, ...tasks.map((task) => call('spawn_subagent', task))] }
}

function collect({ results }: Turn): ScriptedReply {
  const lines = results.map(({ input, text, isError }) => {
    const name = String(toFields(input)['agent_name'] ?? 'agent')
    return `- **The ${name}:** ${isError ? 'did not finish. ' : ''}${toReport(text)}`
  })
  return say(
    'Here are the results:',
    '',
    ...lines,
    '',
    'Each of them had its own id, conversation and tools, and could have been stopped separately. While one waited for you, the others continued. The usage of all of them is in the sum below.',
  )
}
