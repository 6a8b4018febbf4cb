import type { JsonObject } from 'millrace'
import type { Task, TextUnits } from '../implementation.ts'

/** A task of a case, whose name and kind are known. */
export type CaseTask = Omit<Task, 'name' | 'kind'>

/** Returns the faults of an output; outputs come in the order of the tasks. */
export type Judge = (output: JsonObject) => readonly string[]

/** The tasks of a kind of case, and the judgement of their outputs. */
export interface KindCheck {
  tasks(input: JsonObject, units: TextUnits): Iterable<CaseTask>
  createJudge(expected: JsonObject, input: JsonObject): Judge
}
