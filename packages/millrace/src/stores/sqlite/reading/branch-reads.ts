import { type Branch, compareLog } from '../../port/index.ts'
import { numberAt, textAt } from '../file/columns.ts'
import { lookUp, type ReadSources } from './session-reads.ts'

/** Lists branches of a session, without removed ones. */
export function readBranches(
  sources: ReadSources,
  name: string,
  limit: number,
  log: string | undefined,
): readonly Branch[] {
  const { reader } = sources
  return reader.snapshot(() => {
    const branches: Branch[] = []
    const session = lookUp(sources, name)
    if (session) compareLog(name, log, session.log)
    for (let last: readonly [number, number] = [-1, 0]; session && branches.length < limit;) {
      const row = reader.statements.nextBranch.get(session.number, ...last)
      if (row === undefined) break
      last = [numberAt(row, 0), numberAt(row, 1)]
      branches.push({ session: textAt(row, 2), frame: last[0] })
    }
    return branches
  })
}
