import { showHiddenCharacters } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'

/** How an agent is told from others, in every view alike. */
export interface AgentStyle {
  /** Its name; the second of a name has a number behind it. */
  readonly label: string
  /** 0 is the calm one of the root, the others are those of `--agent-1` and so on. */
  readonly color: number
}

/** The faces of the agents of a conversation, by their ids. */
export type AgentStyles = ReadonlyMap<string, AgentStyle>

/** Gives each agent of a conversation its face, which it keeps. */
export interface AgentColors {
  /** The faces of the agents so far, the same object until there is another one; costs nothing while there is none. */
  readonly read: (transcript: Pick<Transcript, 'agents'>) => AgentStyles
}

/** How many colours there are for sub-agents; the style sheet has as many. */
export const AGENT_COLORS = 6

type Named = Pick<AgentNode, 'id' | 'name'>

/** Creates a book without faces, for one conversation: its past shows fewer agents, and the same faces. */
export function createAgentColors(): AgentColors {
  let styles: AgentStyles = new Map()
  let read: readonly Named[] = []
  /** The positions of those that have not told their names. */
  let nameless: readonly number[] = []

  /** What is known holds while no agent came, none has told its name since, and the log did not begin anew. */
  function isSame(agents: Transcript['agents']): boolean {
    if (agents.length > read.length) return false
    const isFewer = agents.length < read.length
    const isAlike = (position: number): boolean => {
      const now = agents.at(position)
      const before = read[position]
      if (now === undefined) return true
      // A moment of the past knows fewer agents and names, and changes no face.
      return now.id === before?.id && (isFewer || !now.name || now.name === before.name)
    }
    return isAlike(agents.length - 1) && nameless.every(isAlike)
  }

  return {
    read({ agents }) {
      if (isSame(agents)) return styles
      read = [...agents].map(({ id, name }) => ({ id, name }))
      nameless = [...read.keys()].filter((position) => !read[position]?.name)
      return (styles = toAgentStyles(read))
    },
  }
}

/** The faces of agents, in the order in which they appeared. */
export function toAgentStyles(agents: readonly Named[]): AgentStyles {
  const numbers = new Map<string, number>()
  const styles = new Map<string, AgentStyle>()
  for (const [index, { id, name }] of agents.entries()) {
    const shown = showHiddenCharacters(name ?? '', { isSingleLine: true })
    const base = shown || (index === 0 ? 'Root' : `Sub-agent ${index}`)
    let label = base
    for (let number = numbers.get(base) ?? 1; numbers.has(label);) {
      label = `${base} ${++number}`
      numbers.set(base, number)
    }
    numbers.set(label, 1)
    styles.set(id, { label, color: index === 0 ? 0 : ((index - 1) % AGENT_COLORS) + 1 })
  }
  return styles
}

/** The face of an agent; one that a stream has not introduced goes by the beginning of its id. */
export function styleOf(styles: AgentStyles, agent: string): AgentStyle {
  return styles.get(agent) ?? { label: agent === '' ? '' : `Agent ${agent.slice(0, 8)}`, color: 0 }
}
