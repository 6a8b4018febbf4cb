import { createSessionId } from '../session-id.ts'
import type { Session } from '../session.ts'

const NAME = 'millrace.tab'

/** APIs of a page that other platforms may lack. */
const page: Partial<Pick<typeof globalThis, 'sessionStorage' | 'addEventListener'>> = globalThis

const holders = new WeakMap<Session, string>()
const counts = new Map<string, number>()
let tab: string | undefined

/** Returns the holder name of a session's claims. It survives a reload of the tab, and differs for each session in a page. */
export function holderOf(session: Session): string {
  const known = holders.get(session)
  if (known) return known
  tab ??= takeTab()
  const count = counts.get(session.id) ?? 0
  counts.set(session.id, count + 1)
  const holder = `${tab}.${count}`
  holders.set(session, holder)
  return holder
}

/** Removes the tab's name from its storage while the page is open, because a duplicated tab copies the storage. */
function takeTab(): string {
  const name = stored() ?? createSessionId()
  stored('')
  page.addEventListener?.('pagehide', () => stored(name))
  page.addEventListener?.('pageshow', () => stored(''))
  return name
}

/** Reads or writes the name. A page may have no storage, or no access to it. */
function stored(name?: string): string | undefined {
  try {
    if (name !== undefined) page.sessionStorage?.setItem(NAME, name)
    return page.sessionStorage?.getItem(NAME) || undefined
  } catch {
    return undefined
  }
}
