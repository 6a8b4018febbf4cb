import { rootAgent } from 'millrace'
import type { AgentNode, Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../../session/studio-context.ts'

/** A sub-agent at work. */
export interface Worker {
  readonly id: string
  readonly name: string
}

/** The sub-agents that are at work, the latest last. */
export function useWorkers(): readonly Worker[] {
  const { session } = useStudio()
  // As a string it compares by value, so that what they write renders nothing here.
  return JSON.parse(useTranscript(session, select)) as readonly Worker[]
}

function select(transcript: Transcript): string {
  const { agents } = transcript
  if (agents.length < 2) return '[]'
  const root = rootAgent(transcript)
  const workers = [...agents].filter((agent) => agent !== root && isWorking(agent))
  return JSON.stringify(workers.map(({ id, name }) => ({ id, name: name ?? 'A sub-agent' })))
}

function isWorking({ runs }: AgentNode): boolean {
  const run = runs.at(-1)
  return run !== undefined && run.end === undefined
}
