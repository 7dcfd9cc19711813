-- Sends what stands in the file of BUTTONWOOD_PATHS, a path a line, each thread from a place of its own.
local threads = 0

function setup(thread)
   thread:set("number", threads)
   threads = threads + 1
end

function init()
   paths = {}
   for line in io.lines(os.getenv("BUTTONWOOD_PATHS")) do
      paths[#paths + 1] = line
   end
   at = number * 7919 % #paths
   wrk.method = os.getenv("BUTTONWOOD_METHOD")
   wrk.headers["X-MBX-APIKEY"] = os.getenv("BUTTONWOOD_API_KEY")
end

function request()
   at = at % #paths + 1
   return wrk.format(nil, paths[at])
end

-- Latencies come in microseconds.
function done(summary, latency)
   local errors = summary.errors
   local ms = function(us) return us / 1000 end
   local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
   local names = { "requests_per_s", "success_rate", "min_ms", "mean_ms", "p50_ms", "p75_ms", "p90_ms",
      "p95_ms", "p99_ms", "p99_9_ms", "max_ms" }
   local values = { summary.requests / summary.duration * 1e6, 1 - failed / math.max(summary.requests, 1),
      ms(latency.min), ms(latency.mean) }
   for _, percentile in ipairs({ 50, 75, 90, 95, 99, 99.9 }) do
      values[#values + 1] = ms(latency:percentile(percentile))
   end
   values[#values + 1] = ms(latency.max)
   local fields = {}
   for i, name in ipairs(names) do
      fields[i] = string.format("%q: %.6f", name, values[i])
   end
   io.stdout:write("{", table.concat(fields, ", "), "}\n")
end
