import type { Scenario, ScenarioArgs, ScriptedFile, Turn } from '../../replies/scenario.ts'
import type { ScriptedReply, ScriptedToolUse } from '../../replies/scripted-reply.ts'

/** Matches `/demo <name>` and passes the rest of the prompt to `read`. */
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

interface DemoParts {
  readonly summary: string
  /** Tools that the demo calls; if the agent lacks one, the reply lists the missing tools. */
  readonly tools?: readonly string[]
  readonly files?: readonly ScriptedFile[]
  readonly read?: (rest: string) => ScenarioArgs
  readonly reply: (turn: Turn) => ScriptedReply
}

/** Creates a scenario that answers `/demo <name>`. */
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

/** Creates a reply of one text block from the joined lines. */
export function say(...lines: string[]): ScriptedReply {
  return { blocks: [{ type: 'text', text: lines.join('\n') }] }
}

/** Creates a call of a tool of the agent. */
export function call(
  name: string,
  input: Extract<ScriptedToolUse['input'], object>,
): ScriptedToolUse {
  return { type: 'tool_use', name, input }
}

/** Returns a reply that lists the missing tools, or undefined if the agent offers all of them. */
function missingTools({ tools }: Turn, names: readonly string[]): ScriptedReply | undefined {
  const missing = names.filter((name) => !tools.has(name)).map((name) => `\`${name}\``)
  if (missing.length === 0) return undefined
  return say(
    `This demo needs ${missing.join(' and ')}, which this agent does not offer.`,
    '',
    'The demo agent that `npm start` serves has all tools of the demos.',
  )
}
