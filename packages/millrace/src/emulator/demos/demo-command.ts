import type { ScenarioArgs, Turn } from '../scenario.ts'
import type { ScriptedReply } from '../scripted-reply.ts'

/** Matches `/demo <name>` and hands what stands behind it to `read`. */
export function matchDemo(
  name: string,
  read: (rest: string) => ScenarioArgs = () => ({}),
): (prompt: string) => boolean | ScenarioArgs {
  const command = new RegExp(`^/demo\\s+${name}(?:\\s+(.*))?$`, 'is')
  return (prompt) => {
    const match = command.exec(prompt)
    return match === null ? false : read(match[1]?.trim() ?? '')
  }
}

/** A reply of one text block; lines are joined. */
export function say(...lines: string[]): ScriptedReply {
  return { blocks: [{ type: 'text', text: lines.join('\n') }] }
}

/** What to say when a demo needs tools that the agent does not offer, or nothing when it does. */
export function missingTools({ tools }: Turn, names: readonly string[]): ScriptedReply | undefined {
  const missing = names.filter((name) => !tools.has(name)).map((name) => `\`${name}\``)
  if (missing.length === 0) return undefined
  return say(
    `This demo needs ${missing.join(' and ')}, which this agent does not offer.`,
    '',
    'The demo agent that `npm start` serves has all that the demos need.',
  )
}
