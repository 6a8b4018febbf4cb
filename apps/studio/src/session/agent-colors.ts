import { showHiddenCharacters } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'

/** Label and color of an agent in all views. */
export interface AgentStyle {
  /** Name; repeated names are numbered. */
  readonly label: string
  /** 0 is the neutral color of the root, others are those of `--agent-1` and so on. */
  readonly color: number
}

/** Styles of the agents of a session by id. */
export type AgentStyles = ReadonlyMap<string, AgentStyle>

/** Assigns a permanent style to each agent of a session. */
export interface AgentColors {
  /** Returns the styles of the agents so far; the same object until an agent is added. */
  readonly read: (transcript: Pick<Transcript, 'agents'>) => AgentStyles
}

/** The number of colors of sub-agents; the style sheet has as many. */
export const AGENT_COLORS = 6

type Named = Pick<AgentNode, 'id' | 'name'>

/** Creates the colors of one session. Past moments have fewer agents with the same styles. */
export function createAgentColors(): AgentColors {
  let styles: AgentStyles = new Map()
  let read: readonly Named[] = []
  /** Positions of agents without a name. */
  let nameless: readonly number[] = []

  /** Reports whether the known styles hold: no agent was added or named, and the log did not restart. */
  function isSame(agents: Transcript['agents']): boolean {
    if (agents.length > read.length) return false
    const isFewer = agents.length < read.length
    const isAlike = (position: number): boolean => {
      const now = agents.at(position)
      const before = read[position]
      if (now === undefined) return true
      // A past moment has fewer agents and names and changes no style.
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

/** Returns the styles of agents in their order of appearance. */
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

/** Returns the style of an agent; an unknown agent is labeled by the beginning of its id. */
export function styleOf(styles: AgentStyles, agent: string): AgentStyle {
  return styles.get(agent) ?? { label: agent === '' ? '' : `Agent ${agent.slice(0, 8)}`, color: 0 }
}
