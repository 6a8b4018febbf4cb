import type { JsonObject } from 'millrace'
import type { Task, TextUnits } from '../implementation.ts'

/** A task of a case, whose name and kind are known. */
export type CaseTask = Omit<Task, 'name' | 'kind'>

/** Says what is wrong with an output; outputs come in the order of the tasks. */
export type Judge = (output: JsonObject) => readonly string[]

/** How the cases of one kind are run: what is asked, and how the answers are judged. */
export interface KindCheck {
  /** All that an implementation is asked for one case. */
  tasks(input: JsonObject, units: TextUnits): Iterable<CaseTask>
  createJudge(expected: JsonObject, input: JsonObject): Judge
}
