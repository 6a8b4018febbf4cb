import type { Answer, Implementation, Task } from './implementation.ts'

/** A task and its answer. */
export interface Answered {
  readonly task: Task
  readonly answer: Answer
}

/** Runs tasks of an implementation, as many at once as it accepts, and yields the answers in the order of the tasks. */
export async function* askAhead(
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
