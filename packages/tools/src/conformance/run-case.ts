import { type ConformanceCase, UNREADABLE } from './conformance-case.ts'
import type { Answer, Implementation, Task } from './implementation.ts'
import type { Judge, KindCheck } from './kinds/kind-check.ts'
import { kindChecks } from './kinds/kind-checks.ts'

/** The outcome of a case. */
export interface CaseOutcome {
  readonly name: string
  readonly kind: string
  /** The differences; empty if it passed. */
  readonly faults: readonly string[]
  /** The reason why the implementation was not judged. */
  readonly unsupported?: string
}

/** Maximum faults of one case; more add no information. */
const MAX_FAULTS = 20

/** Runs one case against an implementation; an unknown kind counts as failed. */
export async function runCase(
  one: ConformanceCase,
  implementation: Implementation,
): Promise<CaseOutcome> {
  const { name, kind } = one
  const check = Object.hasOwn(kindChecks, kind) ? kindChecks[kind] : undefined
  if (check === undefined) return { name, kind, faults: [describeUnjudged(kind)] }
  if (!implementation.supports(kind)) return { name, kind, faults: [], unsupported: 'the kind' }
  try {
    return { name, kind, ...(await runTasks(one, check, implementation)) }
  } catch (error) {
    return { name, kind, faults: [`threw ${messageOf(error)}`] }
  }
}

async function runTasks(
  { name, kind, input, expected }: ConformanceCase,
  check: KindCheck,
  implementation: Implementation,
): Promise<Pick<CaseOutcome, 'faults' | 'unsupported'>> {
  const judge = check.createJudge(expected, input)
  const faults: string[] = []
  for await (const { task, answer } of askAhead(implementation, tasksOf())) {
    if ('unsupported' in answer) return { faults: [], unsupported: answer.unsupported }
    faults.push(...faultsOf(answer, judge).map((fault) => toLine(task, fault)))
    if (faults.length >= MAX_FAULTS || ('error' in answer && answer.isLost === true)) break
  }
  return { faults }

  function* tasksOf(): Generator<Task> {
    for (const task of check.tasks(input, implementation.units)) yield { name, kind, ...task }
  }
}

function faultsOf(answer: Exclude<Answer, { unsupported: string }>, judge: Judge) {
  if ('error' in answer) return [`threw ${answer.error}`]
  try {
    return judge(answer.output)
  } catch (error) {
    return [messageOf(error)]
  }
}

function toLine({ feeding }: Task, fault: string): string {
  return feeding === undefined ? fault : `[${feeding}] ${fault}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function describeUnjudged(kind: string): string {
  if (kind !== UNREADABLE) return `kind ${kind} is not supported yet`
  return 'the line is not a case: a JSON object with name, kind, input and expected, or one of segments or formats'
}

interface Answered {
  readonly task: Task
  readonly answer: Answer
}

/** Runs tasks of an implementation, as many at once as it accepts, and yields the answers in the order of the tasks. */
async function* askAhead(
  implementation: Implementation,
  tasks: Iterable<Task>,
): AsyncGenerator<Answered> {
  const waiting: Promise<Answered>[] = []
  for (const task of tasks) {
    waiting.push(implementation.run(task).then((answer) => ({ task, answer })))
    if (waiting.length < implementation.ahead) continue
    const first = waiting.shift()
    if (first !== undefined) yield await first
  }
  for (const one of waiting) yield await one
}
