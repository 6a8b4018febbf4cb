import { type StoreCheck, pause } from './store-helpers.ts'

/** Checks of wake-ups. */
export const wake: Readonly<Record<string, StoreCheck>> = {
  'a command reaches all listeners, until they stop': async (store, expect) => {
    const heard: string[] = []
    const stop = store.onCommand((session, command) => heard.push(`${session} ${command}`))
    await pause()
    await store.send('a', 'stop')
    await pause()
    stop()
    await store.send('a', 'again')
    await pause()
    expect(heard).toEqual(['a stop'])
  },
}
