import type { Scenario, ScenarioArgs, ScriptedFile, Turn } from '../scenario.ts'
import type { ScriptedReply, ScriptedToolUse } from '../scripted-reply.ts'

/** Matches `/demo <name>` and hands what stands behind it to `read`. */
function matchDemo(
  name: string,
  read: (rest: string) => ScenarioArgs = () => ({}),
): (prompt: string) => boolean | ScenarioArgs {
  const command = new RegExp(`^/demo\\s+${name}(?:\\s+(.*))?$`, 'is')
  return (prompt) => {
    const match = command.exec(prompt)
    return match === null ? false : read(match[1]?.trim() ?? '')
  }
}

/** What makes a demo besides its name. */
export interface DemoParts {
  readonly summary: string
  /** Tools that it calls; an agent that lacks one is told so instead. */
  readonly tools?: readonly string[]
  readonly files?: readonly ScriptedFile[]
  readonly read?: (rest: string) => ScenarioArgs
  readonly reply: (turn: Turn) => ScriptedReply
}

/** A scenario that answers `/demo <name>`. */
export function createDemo(
  name: string,
  { summary, tools = [], files = [], read, reply }: DemoParts,
): Scenario & { readonly prompt: string } {
  return {
    name,
    summary,
    prompt: `/demo ${name}`,
    files,
    matches: matchDemo(name, read),
    reply: (turn) => missingTools(turn, tools) ?? reply(turn),
  }
}

/** A reply of one text block; lines are joined. */
export function say(...lines: string[]): ScriptedReply {
  return { blocks: [{ type: 'text', text: lines.join('\n') }] }
}

/** A call of one of the agent’s tools. */
export function call(
  name: string,
  input: Extract<ScriptedToolUse['input'], object>,
): ScriptedToolUse {
  return { type: 'tool_use', name, input }
}

/** What to say when a demo needs tools that the agent does not offer, or nothing when it does. */
function missingTools({ tools }: Turn, names: readonly string[]): ScriptedReply | undefined {
  const missing = names.filter((name) => !tools.has(name)).map((name) => `\`${name}\``)
  if (missing.length === 0) return undefined
  return say(
    `This demo needs ${missing.join(' and ')}, which this agent does not offer.`,
    '',
    'The demo agent that `npm start` serves has all that the demos need.',
  )
}
