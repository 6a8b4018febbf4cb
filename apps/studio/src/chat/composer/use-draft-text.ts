import { useEffect, useRef, useState } from 'react'
import { useStudio } from '../../session/index.ts'
import { readTabValue, storeTabValue, useKeptState } from '../../ui/index.ts'

/** The prompt that is being written, which neither a look at the past nor a reload loses. */
export function useDraftText(isNew: boolean): readonly [string, (text: string) => void] {
  const { session, server, resumed } = useStudio()
  // What is written before anything was asked is of any new conversation: a reload finds no name for this one.
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
