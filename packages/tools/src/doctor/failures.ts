/** The reason why an address cannot be reached, with the remedy. */
interface Explained {
  readonly seen: string
  readonly why: string
}

const explanations: Readonly<Record<string, Explained>> = {
  ENOTFOUND: {
    seen: 'The host name does not exist',
    why: 'Check the spelling, and that the DNS record exists: a new one may take some minutes.',
  },
  EAI_AGAIN: {
    seen: 'The host name could not be resolved',
    why: 'This machine cannot reach its DNS server; check its network.',
  },
  ECONNREFUSED: {
    seen: 'The connection was refused',
    why: 'No server listens on the port: start the server or the proxy, and check the port and the firewall.',
  },
  ECONNRESET: {
    seen: 'The connection was closed without a response',
    why: 'A firewall, or a proxy whose server is gone, closed it; so does an https:// port that gets a request over http://.',
  },
  EHOSTUNREACH: {
    seen: 'There is no route to that address',
    why: 'Check the network in between: routes, VPN, firewall.',
  },
  ETIMEDOUT: {
    seen: 'No response arrived in time',
    why: 'A firewall may drop the packets; check that the port can be reached from this machine.',
  },
  CERT_HAS_EXPIRED: {
    seen: 'The certificate has expired',
    why: 'Browsers reject it: renew it, and reload the proxy so that it uses the new one.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    seen: 'The certificate is for another name',
    why: 'Browsers reject it: get one for this name, or use the name in the certificate.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    seen: 'The certificate is self-signed',
    why: 'Browsers reject it. If it is intended, name it in NODE_EXTRA_CA_CERTS and try again.',
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    seen: 'The certificate is signed by an authority that this machine does not know',
    why: 'If the authority is your own, name its certificate in NODE_EXTRA_CA_CERTS and try again.',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    seen: 'The chain of certificates is incomplete',
    why: 'The proxy must send the intermediate certificates too: give it the full chain.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    seen: 'The port does not use TLS',
    why: 'Use http://, or set up the certificate on this port.',
  },
  HPE_INVALID_CONSTANT: {
    seen: 'The response is not HTTP',
    why: 'Use https://, or check the port.',
  },
}

/** Codes with the meaning of another one. */
const aliases: Readonly<Record<string, string>> = {
  ABORT_ERR: 'ETIMEDOUT',
  TimeoutError: 'ETIMEDOUT',
  ENETUNREACH: 'EHOSTUNREACH',
  EPIPE: 'ECONNRESET',
  EPROTO: 'ERR_SSL_WRONG_VERSION_NUMBER',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'ERR_SSL_WRONG_VERSION_NUMBER',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  HPE_INVALID_HEADER_TOKEN: 'HPE_INVALID_CONSTANT',
}

/** Explains a request that failed before its response. */
export function explainFailure(error: unknown): Explained {
  const code = codeOf(error)
  const explained = explanations[aliases[code] ?? code]
  if (explained !== undefined) return explained
  const message = error instanceof Error ? error.message : String(error)
  return {
    seen: `No response: ${message.slice(0, 200)}`,
    why: 'Check the address and the network.',
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
