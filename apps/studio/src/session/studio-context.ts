import { createContext, useContext } from 'react'
import type { StudioSession } from './studio-session.ts'

/** The conversation that the page shows. */
export const StudioContext = createContext<StudioSession | undefined>(undefined)

/** The conversation that the page shows. */
export function useStudio(): StudioSession {
  const studio = useContext(StudioContext)
  if (!studio) throw new Error('useStudio is called outside the StudioContext.')
  return studio
}
