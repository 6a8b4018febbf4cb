using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .mill),
    # Workers may call addresses on the internet only, such as that of the model.
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8787", http = (), service = "main")],
);

const mill :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-10-01",
  durableObjectNamespaces = [(className = "Mill", uniqueKey = "mill")],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "MILL", durableObjectNamespace = "Mill"),
    (name = "ANTHROPIC_API_KEY", fromEnvironment = "ANTHROPIC_API_KEY"),
  ],
);
