import { useEffect, useRef, useState } from 'react'
import { useStudio } from '../../session/index.ts'
import { readTabValue, storeTabValue, useKeptState } from '../../ui/index.ts'

/** Keeps the draft of the prompt across past moments and reloads. */
export function useDraftText(isNew: boolean): readonly [string, (text: string) => void] {
  const { session, server, resumed } = useStudio()
  // A draft without a session belongs to any new session, because a reload finds no id.
  const key = `millrace-draft ${server} ${isNew && !resumed ? '' : session.id}`
  const [first] = useState(() => readTabValue(key) ?? '')
  const [text, setText] = useKeptState('prompt', first)
  const write = (next: string) => {
    setText(next)
    storeTabValue(key, next || undefined)
  }
  const lastKey = useRef(key)
  useEffect(() => {
    if (key === lastKey.current) return
    storeTabValue(lastKey.current, undefined)
    storeTabValue(key, text || undefined)
    lastKey.current = key
  }, [key, text])
  return [text, write]
}
