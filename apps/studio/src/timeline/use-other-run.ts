import { useState } from 'react'
import { useOpening } from '../recordings/index.ts'
import type { Opening } from '../recordings/index.ts'
import { toRuns } from './model/index.ts'
import type { Run } from './model/index.ts'

/** A run to compare with, and its name. */
export interface OtherRun {
  readonly run: Run
  readonly name: string
}

/** Choice of the compared run. */
export interface OtherRunChoice {
  readonly other: OtherRun | undefined
  /** Runs of a recording that was opened for the comparison. */
  readonly recorded: readonly OtherRun[]
  readonly choose: (other: OtherRun | undefined) => void
  readonly opening: Opening
}

/** Selects the compared run, from the session or from a file. */
export function useOtherRun(): OtherRunChoice {
  const [other, choose] = useState<OtherRun>()
  const [recorded, setRecorded] = useState<readonly OtherRun[]>([])
  const opening = useOpening((studio) => {
    const name = studio.fileName ?? 'Recording'
    const runs = toRuns(studio.frames.getSnapshot())
    const found = runs.map((run) => ({
      run,
      name: runs.length > 1 ? `${name}, run ${run.number}` : name,
    }))
    setRecorded(found)
    choose(found.at(-1))
  })
  return { other, recorded, choose, opening }
}

/** Returns the selected run as it is now; changed times create all runs of the session again. */
export function findOther(
  { other, recorded }: Pick<OtherRunChoice, 'other' | 'recorded'>,
  runs: readonly Run[],
): OtherRun | undefined {
  if (!other || recorded.includes(other)) return other
  const run = runs.find(({ number }) => number === other.run.number)
  return run && { run, name: other.name }
}
