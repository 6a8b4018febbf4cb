import { createContext, useContext } from 'react'
import type { StudioSession } from './studio-session.ts'

/** Context with the session that the page shows. */
export const StudioContext = createContext<StudioSession | undefined>(undefined)

/** Returns the session that the page shows. */
export function useStudio(): StudioSession {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('useStudio is called outside the StudioContext.')
  return studio
}
