import { fromProducer } from 'millrace/adapters'

/** The runs of this agent are produced by `producer.py`. */
export const agents = { counter: fromProducer({ name: 'counter' }) }
export const defaultAgent = 'counter'
