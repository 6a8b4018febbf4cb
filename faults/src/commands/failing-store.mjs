// Wraps the store of a server: wake-ups are lost, and the server dies before or after the storing of commands and of their effects.
import { setTimeout } from 'node:timers'

/** A server that will die does so at once, or within this time: before or after an acknowledgement. */
const SOON_MS = 30

const chance = (probability) => Math.random() < probability

/** Wraps a store; `drops` is the probability of a lost wake-up, `dies` that of a death at each point. */
export function createFailingStore(store, { drops, dies }) {
  const dieNow = () => process.kill(process.pid, 'SIGKILL')
  const meetFate = () => {
    if (!chance(dies)) return
    if (chance(0.5)) dieNow()
    else setTimeout(dieNow, Math.random() * SOON_MS)
  }
  /** Executes a change of commands, with a chance to die before and after it. */
  const among = async (act) => {
    meetFate()
    const result = await act()
    meetFate()
    return result
  }
  return {
    ...store,
    send: async (session, command) => {
      if (!chance(drops)) await store.send(session, command)
    },
    onCommand: (listener) =>
      store.onCommand((session, command) => {
        if (!chance(drops)) listener(session, command)
      }),
    submit: (...given) => among(() => store.submit(...given)),
    settle: (...given) => among(() => store.settle(...given)),
    append: (append) =>
      (append.commands ?? []).length === 0
        ? store.append(append)
        : among(() => store.append(append)),
  }
}
