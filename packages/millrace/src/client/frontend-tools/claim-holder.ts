import { createSessionId } from '../session-id.ts'
import type { Session } from '../session.ts'

const NAME = 'millrace.tab'

/** What a page has and other places may not. */
const page: Partial<Pick<typeof globalThis, 'sessionStorage' | 'addEventListener'>> = globalThis

const holders = new WeakMap<Session, string>()
const counts = new Map<string, number>()
let tab: string | undefined

/** The name under which a session claims calls: the same after a reload of its tab, another for each session in a page. */
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

/** Takes the name of the tab out of its storage while the page lives: a tab that is duplicated copies the storage, not the name. */
function takeTab(): string {
  const name = stored() ?? createSessionId()
  stored('')
  page.addEventListener?.('pagehide', () => stored(name))
  page.addEventListener?.('pageshow', () => stored(''))
  return name
}

/** Reads or writes the name; pages may have no storage, or none that they may use. */
function stored(name?: string): string | undefined {
  try {
    if (name !== undefined) page.sessionStorage?.setItem(NAME, name)
    return page.sessionStorage?.getItem(NAME) || undefined
  } catch {
    return undefined
  }
}
