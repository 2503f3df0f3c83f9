-- Tells Jitsi's clients, which ask the domain itself, what there is beside its rooms and by which
-- address: jitsi_identities = { av_moderation = "focus.meet.example.org" }
for kind, address in pairs(module:get_option("jitsi_identities", {})) do
    module:add_identity("component", kind, address);
end
