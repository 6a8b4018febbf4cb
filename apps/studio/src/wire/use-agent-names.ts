import { useMemo } from 'react'
import type { Transcript } from 'millrace'
import { useTranscript } from 'millrace/react'
import { useStudio } from '../session/studio-context.ts'

/** The names of the agents that have told theirs, by id. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const { session } = useStudio()
  // As a string it compares by value, so that what agents write renders nothing here.
  const names = useTranscript(session, select)
  return useMemo(() => new Map(JSON.parse(names) as readonly [string, string][]), [names])
}

function select({ agents }: Transcript): string {
  return JSON.stringify([...agents].flatMap(({ id, name }) => (name ? [[id, name]] : [])))
}
